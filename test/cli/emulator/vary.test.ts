import { describe, expect, test } from 'vitest';
import { lectern, temporaryFolder } from '../../support/lectern.ts';
import type { State } from '../../emulator/documents.ts';
import { start } from './running.ts';

describe('emulator start --vary', () => {
  const stateOf = async (home: string): Promise<State> =>
    JSON.parse((await lectern(['emulator', 'state', '--json'], { home })).stdout) as State;

  test('chooses the same for the same seed, and state has it', async () => {
    const [one, two] = [temporaryFolder(), temporaryFolder()];
    const { ready } = await start(['--memory', '--vary', '7'], { home: one });
    await start(['--memory', '--vary=7'], { home: two });
    expect(ready.vary).toBe(7);
    const { vary } = await stateOf(one);
    expect(vary?.seed).toBe(7);
    expect((await stateOf(two)).vary).toEqual(vary);
  });

  test('varies only the names after a comma', async () => {
    const home = temporaryFolder();
    await start(['--memory', '--vary', '2,envelope'], { home });
    const { choices } = (await stateOf(home)).vary ?? {};
    expect(choices).toMatchObject({ envelope: 'problem', space: 'none', declared: '200' });
  });

  test('without a seed takes one, and prints it', async () => {
    const home = temporaryFolder();
    const { ready } = await start(['--memory', '--vary'], { home });
    expect(ready.vary).toBe((await stateOf(home)).vary?.seed);
  });

  test('is kept with the data', async () => {
    const home = temporaryFolder();
    const first = await start(['--data', `${home}/data`, '--vary', '3'], { home });
    first.kill('SIGTERM');
    await first.ended;
    const again = await start(['--data', `${home}/data`], { home });
    expect(again.ready.vary).toBe(3);
    again.kill('SIGTERM');
    await again.ended;
    const other = await lectern(['emulator', 'start', '--data', `${home}/data`, '--vary', '4'], {
      home,
    });
    expect([other.exit, other.stderr]).toEqual([2, expect.stringContaining('--vary 3')]);
  });

  test('refuses to import the state of another seed: 3', async () => {
    const home = temporaryFolder();
    const varied = await start(['--memory', '--vary', '3'], { home });
    await lectern(['emulator', 'export', `${home}/state`], { home });
    varied.kill('SIGTERM');
    await varied.ended;
    await start(['--memory'], { home });
    const { exit, stderr } = await lectern(['emulator', 'import', `${home}/state`], { home });
    expect([exit, stderr]).toEqual([3, expect.stringContaining('with --vary 3')]);
  });

  test.each([
    { name: 'no number', value: 'seven', words: '"seven": this is not a whole number' },
    { name: 'a fraction', value: '1.5', words: '"1.5": this is not a whole number' },
    { name: 'a negative number', value: '-1', words: '"-1": this is not a whole number' },
    { name: 'an unknown name', value: '1,envelop', words: 'did you mean envelope?' },
    { name: 'nothing after the comma', value: '1,', words: '"" is nothing that varies' },
  ])('refuses $name: 2', async ({ value, words }) => {
    const { exit, stderr } = await lectern(['emulator', 'start', '--memory', `--vary=${value}`]);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(words)]);
  });
});

describe('emulator exec --vary FROM..TO', () => {
  const exec = (range: string, script: string, ...flags: string[]) =>
    lectern(['emulator', 'exec', '--vary', range, ...flags, '--', process.execPath, '-e', script], {
      home: temporaryFolder(),
    });

  // A tool that depends on the status of a declared file, which is 200 under some seeds only.
  const FRAGILE = `
    const { claims, files, api } = JSON.parse(require('fs').readFileSync(process.env.LECTERN_LAUNCH));
    const headers = { authorization: 'Bearer ' + api.token, 'content-type': 'application/json' };
    fetch(files.member.replace(/(\\?|$)/, '/notes.txt$1'), { method: 'PUT', headers, body: '{"size":1}' })
      .then((answer) => process.exit(answer.status === 200 ? 0 : 3));`;

  test('runs the command once for each seed, and lists what the failing ones have in common', async () => {
    const { exit, stdout, stderr } = await exec('1..8,declared', FRAGILE);
    const exits = stdout
      .trim()
      .split('\n')
      .map((line) => line.split('\t')[1]);
    expect(exits).toHaveLength(8);
    expect(new Set(exits)).toEqual(new Set(['0', '3']));
    expect([exit, stderr]).toEqual([3, expect.stringContaining('in common: declared ')]);
  });

  test.each(['3..2', '1..5000', '1..x'])('refuses the range %s', async (range) => {
    expect((await exec(range, '')).exit).toBe(2);
  });

  test('refuses the file of a report', async () => {
    const { exit, stderr } = await exec('1..2', '', '--report', 'report.json');
    expect([exit, stderr]).toEqual([2, expect.stringContaining('--report FILE is for one seed')]);
  });
});
