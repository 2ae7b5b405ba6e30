import { bulk } from './bulk.ts';
import { diff } from './diff.ts';
import { emulator } from './emulator.ts';
import { figureLine } from './figure.ts';
import { files } from './files.ts';
import { startUp } from './start-up.ts';

/**
 * `npm run bench [NAME]`: every figure is a ratio of two things measured side by side in this run,
 * the median of pairs. Nothing fails when a goal is missed: machines differ, and this one may be busy.
 */
const BENCHES = { 'start-up': startUp, files, diff, bulk, emulator };

const [wanted] = process.argv.slice(2);
for (const [name, bench] of Object.entries(BENCHES)) {
  if (wanted !== undefined && wanted !== name) continue;
  console.log(`\n${name}`);
  for (const figure of await bench()) console.log(figureLine(figure));
}
