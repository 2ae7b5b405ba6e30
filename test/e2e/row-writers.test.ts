/** Processes that write one row of one home at the same time: scripts with the library, and commands. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { binary } from '../support/binary.ts';
import { startEmulator } from '../support/emulator.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';

const run = promisify(execFile);
const LIBRARY = new URL('../../dist/index.js', import.meta.url).href;

/** Increments a count in the row this many times, each time from the count that it reads. */
const SCRIPT = `
  import { readFileSync } from 'node:fs';
  import { createClient, credentialOf, openLedger, openRow, updateRow } from '${LIBRARY}';
  const [launch, file, times] = process.argv.slice(2);
  const claims = JSON.parse(readFileSync(launch, 'utf8'));
  const client = createClient(credentialOf(claims));
  const ledger = await openLedger({ file });
  const row = openRow(client, claims, 'member');
  for (let time = 0; time < Number(times); time++) {
    const increment = (state) => ({ ...state, count: (state.count ?? 0) + 1 });
    const { outcome } = await updateRow(row, increment, { ledger });
    console.log(outcome);
  }
  await Promise.all([client.close(), ledger.close()]);
`;

async function startHome() {
  const emulator = await startEmulator();
  const home = temporaryFolder();
  const launch = join(home, 'launch.json');
  writeFileSync(launch, JSON.stringify(await emulator.launch({ role: 'student' })));
  const script = join(home, 'script.mjs');
  writeFileSync(script, SCRIPT);
  const editor = join(home, 'editor.mjs');
  writeFileSync(
    editor,
    `import { readFileSync, writeFileSync } from 'node:fs';
     const row = JSON.parse(readFileSync(process.argv[2], 'utf8'));
     writeFileSync(process.argv[2], JSON.stringify({ ...row, edited: true }));`,
  );
  const env = { LECTERN_LAUNCH: launch, EDITOR: `"${process.execPath}" "${editor}"` };
  return {
    command: (...args: string[]) => binary(['storage', ...args], { home, env }),
    read: (...args: string[]) => lectern(['storage', ...args], { home, env }),
    script: async (times: number): Promise<string[]> => {
      const args = [script, launch, join(home, 'ledger.sqlite'), String(times)];
      return (await run(process.execPath, args)).stdout.trimEnd().split('\n');
    },
  };
}

test('two scripts and four commands that write one row lose no change', async () => {
  const { command, read, script } = await startHome();
  const scripts = [script(10), script(10)];
  const commands = [
    command('patch', 'member', '--add', '/patched:=1'),
    command('patch', 'member', '--add', '/other:=2', '--no-history'),
    command('patch', 'member', '--add', '/blind:=3', '--no-check'),
    command('edit', 'member', '--yes'),
  ];
  expect(await Promise.all(scripts)).toEqual(Array(2).fill(Array(10).fill('written')));
  const failed = (await Promise.all(commands)).filter(({ exit }) => exit !== 0);
  expect(failed.map(({ stderr }) => stderr)).toEqual([]);
  const { stdout } = await read('get', 'member');
  const row = { count: 20, patched: 1, other: 2, blind: 3, edited: true };
  expect(JSON.parse(stdout)).toEqual(row);
  const history = JSON.parse((await read('history', '--json')).stdout) as object[];
  expect(history).toHaveLength(22);
});
