// `npm run pictures`: makes the pictures of README and docs/console.md from the real program. It needs
// a pseudo-terminal, and Chromium (LECTERN_CHROMIUM).
import { mkdirSync, writeFileSync } from 'node:fs';
import { picturesOfConsole } from './console.ts';
import { recordDemo } from './recording.ts';
import { animated } from './svg.ts';

const FOLDER = 'docs/images';

mkdirSync(FOLDER, { recursive: true });
writeFileSync(`${FOLDER}/demo.svg`, animated(await recordDemo()));
for await (const { name, png } of picturesOfConsole()) {
  writeFileSync(`${FOLDER}/console-${name}.png`, png);
}
