import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FastClock } from '../support/clock.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { terminal } from '../support/terminal.ts';
import { start } from './emulator/running.ts';
import { emulatedFiles } from './files/emulated.ts';
import { bench, file, submitFile } from './grade/bulk.ts';

const COUNT = 32;

/** A home whose lists all have more entries than a terminal shows. */
async function longLists() {
  const home = temporaryFolder();
  const options = { home };
  await start(['--memory'], options);
  const launch = ['emulator', 'launch', '--role', 'student', '--save', 'me'];
  expect(await lectern(launch, options)).toMatchObject({ exit: 0 });
  for (let index = 0; index < COUNT; index += 1) {
    const row = join(home, 'row.json');
    writeFileSync(row, `{"page":${index}}`);
    const put = await lectern(['storage', 'put', 'member', row, '--yes'], options);
    expect(put).toMatchObject({ exit: 0 });
    const grades = join(home, 'grades.csv');
    writeFileSync(grades, `member,score\nmember-111,0.${10 + index}\n`);
    const submit = ['grade', 'submit', '--from', grades, '--yes'];
    expect(await lectern(submit, options)).toMatchObject({ exit: 0 });
  }
  return options;
}

/** The lines of a list without its header and its notes. */
const entries = (screen: string): string[] =>
  screen.split('\n').filter((line) => /^ *\d+[ :]/.test(line));

const LISTS: readonly (readonly [args: string[], more: RegExp])[] = [
  [['storage', 'history'], /^and 2 more: --limit 32$/m],
  [['grade', 'log'], /^and 2 more: --limit 32$/m],
  [['grade', 'runs'], /^and 2 more: --limit 32$/m],
  [['emulator', 'requests'], /^and \d+ more: --limit \d+$/m],
];

test('a list shows its newest 30 entries on a terminal, and all of them elsewhere', async () => {
  const options = await longLists();
  const shown = async (args: readonly string[], rows = 80): Promise<string> => {
    const run = terminal(args, { ...options, rows, columns: 300 });
    expect(await run.exit).toBe(0);
    return run.screen();
  };
  for (const [args, more] of LISTS) {
    const newest = await shown(args);
    expect(entries(newest).length).toBe(30);
    expect(newest).toMatch(more);
    const limited = await shown([...args, '--limit', '31']);
    expect(entries(limited).length).toBe(31);
    expect(limited).not.toContain('more:');
    expect(entries(limited)).toEqual(expect.arrayContaining(entries(newest)));
    const piped = await lectern(args, options);
    expect(piped.stdout.trimEnd().split('\n').length).toBeGreaterThanOrEqual(COUNT);
    expect(piped.stderr).toBe('');
    const json = await shown([...args, '--json'], 3000);
    expect(json.match(/"time":/g)?.length).toBeGreaterThanOrEqual(COUNT);
    expect(json).not.toContain('more:');
  }
}, 60_000);

test('grade report and grade verify show 30 entries on a terminal', async () => {
  const { home, run } = await bench();
  const lines = Array.from({ length: COUNT }, (_, index) => `m-${index},0.5\n`);
  await run(submitFile(file(`member,score\n${lines.join('')}`)));
  const gradebook = file(`member,score\n${lines.join('').replaceAll('0.5', '0.25')}`);
  for (const args of [
    ['grade', 'report'],
    ['grade', 'verify', gradebook],
  ]) {
    const shown = terminal(args, { home, rows: 80, columns: 300 });
    expect(await shown.exit).toBe(args[1] === 'verify' ? 1 : 0);
    expect(entries(shown.screen()).length).toBe(30);
    expect(shown.screen()).toMatch(/^and 2 more: --limit 32$/m);
    const all = terminal([...args, '--limit', '32'], { home, rows: 80, columns: 300 });
    await all.exit;
    expect(entries(all.screen()).length).toBe(COUNT);
    const piped = await lectern(args, { home });
    expect(new Set(piped.stdout.match(/\bm-\d+/g)).size).toBe(COUNT);
    expect(piped.stderr).not.toContain('more:');
  }
});

test('files ls and launch list show 30 entries on a terminal', async () => {
  const { options, run, file: inFolder } = await emulatedFiles();
  const clock = new FastClock();
  const names = Array.from({ length: COUNT }, (_, index) => `n-${index + 10}`);
  await run(['upload', 'location', ...names.map((name) => inFolder(name, name))]);
  for (const name of names) {
    const saved = await lectern(['launch', 'save', name, options.env.LECTERN_LAUNCH], {
      ...options,
      clock,
    });
    expect(saved.exit).toBe(0);
    clock.advance(1000);
  }
  const ofTerminal = async (args: readonly string[]): Promise<string> => {
    const shown = terminal(args, { ...options, clock, rows: 80, columns: 300 });
    expect(await shown.exit).toBe(0);
    return shown.screen();
  };
  const namesIn = (text: string): string[] => text.match(/^n-\d+/gm) ?? [];
  for (const [args, shown] of [
    [['files', 'ls', 'location'], names.slice(0, 30)],
    [['launch', 'list'], names.slice(2)],
  ] as const) {
    const screen = await ofTerminal(args);
    expect(namesIn(screen)).toEqual(shown);
    expect(screen).toMatch(/^and 2 more: --limit 32$/m);
    expect(namesIn(await ofTerminal([...args, '--limit', '32']))).toEqual(names);
    expect(namesIn((await lectern(args, options)).stdout)).toEqual(names);
    const json = await lectern([...args, '--json', '--limit', '1'], options);
    expect(JSON.parse(json.stdout)).toHaveLength(1);
  }
});

test('key list and ledger list show 30 entries on a terminal, sorted by name', async () => {
  const [home, clock] = [temporaryFolder(), new FastClock()];
  const names = Array.from({ length: COUNT }, (_, index) => `n-${index + 10}`);
  // The first two names are the newest.
  for (const name of [...names.slice(2), ...names.slice(0, 2)]) {
    const key = ['key', 'save', name, '--origin', 'https://service.example'];
    const ledger = ['ledger', 'save', name, '--url', 'postgres://ann@127.0.0.1:1/grades'];
    for (const args of [key, ledger]) {
      expect(await lectern(args, { home, clock, input: 'word\n' })).toMatchObject({ exit: 0 });
    }
    clock.advance(1000);
  }
  const namesIn = (text: string): string[] => text.match(/^n-\d+/gm) ?? [];
  for (const args of [
    ['key', 'list'],
    ['ledger', 'list'],
  ]) {
    const shown = terminal(args, { home, clock, rows: 80, columns: 300 });
    expect(await shown.exit).toBe(0);
    expect(namesIn(shown.screen())).toEqual([...names.slice(0, 2), ...names.slice(4)]);
    expect(shown.screen()).toMatch(/^and 2 more: --limit 32$/m);
    expect(namesIn((await lectern(args, { home })).stdout)).toEqual(names);
    const json = await lectern([...args, '--json', '--limit', '1'], { home });
    expect(JSON.parse(json.stdout)).toMatchObject([{ name: 'n-11' }]);
  }
});

test.each([
  { args: ['emulator', 'state'], shows: 30, entry: /^member\b/gm },
  { args: ['emulator', 'report'], shows: 10, entry: /^ {6}\S|^never met\t/gm },
])('$args shows $shows entries on a terminal', async ({ args, shows, entry }) => {
  const home = temporaryFolder();
  const seed = join(home, 'seed.json');
  writeFileSync(seed, '{"tools":[{"id":"a"}],"courses":[{"id":"b","students":40}]}');
  await start(['--memory', '--seed', seed], { home });
  const count = (text: string): number => text.match(entry)?.length ?? 0;
  const ofTerminal = async (more: readonly string[]): Promise<string> => {
    const shown = terminal([...args, ...more], { home, rows: 900, columns: 300 });
    expect(await shown.exit).toBe(0);
    return shown.screen();
  };
  const total = count((await lectern(args, { home })).stdout);
  expect(total).toBeGreaterThan(30);
  const cut = await ofTerminal([]);
  expect(count(cut)).toBe(shows);
  expect(cut).toMatch(new RegExp(`^ *and ${total - shows} more: --limit ${total}$`, 'm'));
  expect(count(await ofTerminal(['--limit', String(total)]))).toBe(total);
  expect(count((await lectern([...args, '--limit', '2'], { home })).stdout)).toBe(2);
});
