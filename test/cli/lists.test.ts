import { expect, test } from 'vitest';
import { FastClock } from '../support/clock.ts';
import { stepsAt } from '../support/steps.ts';
import { start, emulated } from './emulator/running.ts';
import { emulatedFiles } from './files/emulated.ts';
import { bench } from './grade/bulk.ts';

const COUNT = 32;
const numbers = Array.from({ length: COUNT }, (_, index) => index);
const names = numbers.map((index) => `n-${index + 10}`);

interface Listed extends Pick<ReturnType<typeof stepsAt>, 'step' | 'atTerminal'> {
  /** An entry of the list. */
  readonly entry: RegExp;
}

/** Checks that a terminal shows 30 entries, and a pipe and JSON all of them; returns those that are shown. */
async function expectCut(line: string, { step, atTerminal, entry }: Listed, exit = 0) {
  const given = { exit, columns: 300, rows: 3000 };
  const entries = (text: string): string[] => text.match(entry) ?? [];
  const piped = await step(line, { exit, lacks: 'more:' });
  const total = entries(piped.stdout).length;
  expect([line, total >= COUNT]).toEqual([line, true]);
  const more = new RegExp(`^ *and ${total - 30} more: --limit ${total}$`, 'm');
  const cut = entries((await atTerminal(line, { ...given, shows: more })).screen);
  expect([line, cut.length]).toEqual([line, 30]);
  const all = await atTerminal(`${line} --limit ${total}`, { ...given, lacks: 'more:' });
  expect(entries(all.screen)).toHaveLength(total);
  const { stdout } = await step(`${line} --limit 1`, { exit });
  expect(entries(stdout)).toHaveLength(1);
  return { cut, all: entries(piped.stdout) };
}

test('a list shows its newest 30 entries on a terminal, and all of them elsewhere', async () => {
  const { step, atTerminal } = await emulated();
  await step('emulator launch --role student --save me');
  for (const index of numbers) {
    await step('storage put member - --yes', { input: `{"page":${index}}` });
    const input = `member,score\nmember-111,0.${10 + index}\n`;
    await step('grade submit --from - --yes', { input });
  }
  const entry = /^.*\d\d:\d\d.*$/gm;
  for (const line of ['storage history', 'grade log', 'grade runs', 'emulator requests']) {
    await expectCut(line, { step, atTerminal, entry });
  }
});

test('grade report and grade verify show 30 entries on a terminal', async () => {
  const { step, home, folder } = await bench();
  const grades = `member,score\n${names.map((name) => `${name},0.5\n`).join('')}`;
  const files = { 'other.csv': grades.replaceAll('0.5', '0.25') };
  await step('grade submit --from - --yes', { input: grades, files });
  const { atTerminal } = stepsAt({ home, cwd: folder });
  const entry = /(?<!of-)\bn-\d+/g;
  await expectCut('grade report', { step, atTerminal, entry });
  await expectCut('grade verify other.csv', { step, atTerminal, entry }, 1);
});

test('files ls and launch list show 30 entries on a terminal', async () => {
  const { launch, options } = await emulatedFiles();
  const clock = new FastClock();
  const at = stepsAt({ ...options, clock });
  const files = Object.fromEntries(names.map((name) => [name, name]));
  await at.step(`files upload location ${names.join(' ')}`, { files });
  for (const name of names) {
    await at.step(`launch save ${name} ${launch}`);
    clock.advance(1000);
  }
  const listed = { ...at, entry: /^n-\d+/gm };
  const ls = await expectCut('files ls location', listed);
  expect([ls.cut, ls.all]).toEqual([names.slice(0, 30), names]);
  const launches = await expectCut('launch list', listed);
  expect([launches.cut, launches.all]).toEqual([names.slice(2), names]);
});

test('key list and ledger list show 30 entries on a terminal, sorted by name', async () => {
  const clock = new FastClock();
  const at = stepsAt({ clock, input: 'word\n' });
  // The first two names are the newest.
  for (const name of [...names.slice(2), ...names.slice(0, 2)]) {
    await at.step(`
      key save ${name} --origin https://service.example
      ledger save ${name} --url postgres://ann@127.0.0.1:1/grades`);
    clock.advance(1000);
  }
  for (const line of ['key list', 'ledger list']) {
    const { cut, all } = await expectCut(line, { ...at, entry: /^n-\d+/gm });
    expect([cut, all]).toEqual([[...names.slice(0, 2), ...names.slice(4)], names]);
    await at.step(`${line} --json --limit 1`, { json: [{ name: 'n-11' }] });
  }
});

test.each([
  { line: 'emulator state', shows: 30, entry: /^member\b/gm },
  { line: 'emulator report', shows: 10, entry: /^ {6}\S|^never met\t/gm },
])('$line shows $shows entries on a terminal', async ({ line, shows, entry }) => {
  const { home, folder, step, atTerminal } = stepsAt();
  const seed = '{"tools":[{"id":"a"}],"courses":[{"id":"b","students":40}]}';
  await step('validate seed seed.json', { files: { 'seed.json': seed } });
  await start(['--memory', '--seed', `${folder}/seed.json`], { home });
  const given = { rows: 900, columns: 300 };
  const count = (text: string): number => text.match(entry)?.length ?? 0;
  const total = count((await step(line)).stdout);
  expect(total).toBeGreaterThan(30);
  const more = new RegExp(`^ *and ${total - shows} more: --limit ${total}$`, 'm');
  expect(count((await atTerminal(line, { ...given, shows: more })).screen)).toBe(shows);
  expect(count((await atTerminal(`${line} --limit ${total}`, given)).screen)).toBe(total);
  expect(count((await step(`${line} --limit 2`)).stdout)).toBe(2);
});
