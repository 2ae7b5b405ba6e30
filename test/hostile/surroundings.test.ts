import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { binary } from '../support/binary.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { pty } from '../support/pty.ts';
import { startCourse } from './course-service.ts';
import { ledgerOf } from './ledger-of.ts';
import { shell } from './shell.ts';
import { hostileCases, sampled } from './support.ts';

const hostile = hostileCases('Process');

hostile(
  {
    tried: 'an empty or relative HOME, a relative XDG_CONFIG_HOME',
  },
  async () => {
    const course = await startCourse();
    for (const env of [
      { HOME: '' },
      { HOME: 'home' },
      { XDG_CONFIG_HOME: 'home' },
      { XDG_DATA_HOME: '.' },
    ]) {
      const cwd = temporaryFolder();
      const { exit, stderr } = await binary(['launch', 'save', 'a', course.launch], {
        cwd,
        env: { LECTERN_HOME: '', ...env },
      });
      expect([env, exit, stderr]).toEqual([env, 1, expect.stringContaining('set LECTERN_HOME')]);
      expect(readdirSync(cwd)).toEqual([]);
    }
  },
);

hostile({ tried: 'no HOME, and an empty environment' }, async () => {
  const home = temporaryFolder();
  const script = 'exec env -i LECTERN_HOME="$LECTERN_HOME" "$NODE" "$BINARY" launch list';
  expect(await shell(script, { home })).toMatchObject({ exit: 0, stdout: '' });
  expect((await shell('unset HOME LANG TERM; lectern doctor', { home })).exit).toBe(0);
});

hostile({ tried: 'a current folder that has been removed' }, async () => {
  const course = await startCourse();
  const home = temporaryFolder();
  const results = await shell(
    `mkdir "$HOME/gone"; cd "$HOME/gone"; rmdir "$HOME/gone"
       echo '{"n":1}' > "$HOME/row.json"
       lectern storage get member --json | tr -d ' \\n'; echo " $?"
       lectern storage put member "$HOME/row.json" --yes -q; echo $?
       lectern files upload member "$HOME/row.json" -q; echo $?
       lectern files download member row.json --to "$HOME/to" -q; echo $?
       lectern grade submit --score 1 -q > /dev/null; echo $?
       lectern files sync . member; echo $?
       lectern files download member row.json --to .; echo $?`,
    { home, env: { LECTERN_LAUNCH: course.launch } },
  );
  expect(results.stdout.split('\n')).toEqual([
    '{"a":1,"b":2} 0',
    '0',
    'row.json\t8\tuploaded',
    '0',
    'row.json\t8\tdownloaded',
    '0',
    '0',
    '1',
    '1',
    '',
  ]);
  expect(results.stderr).toContain('the current folder has been removed');
  expect(course.row('member')).toBe('{"n":1}\n');
  expect(readFileSync(join(home, 'to/row.json'), 'utf8')).toBe('{"n":1}\n');
});

const ODD_NAMES = ['a b.txt', 'line\nfeed.txt', '-dash', '--json', "it's $HOME `x`", '[x]*', '~'];

hostile(
  { tried: 'files and folders with spaces, line feeds, quotes, wild cards and leading dashes' },
  async () => {
    const course = await startCourse();
    const run = (args: readonly string[], cwd: string) =>
      lectern(args, { cwd, home: cwd, env: { LECTERN_LAUNCH: course.launch } });
    await Promise.all(
      ODD_NAMES.map(async (name, index) => {
        const folder = join(temporaryFolder(), name);
        mkdirSync(folder);
        writeFileSync(join(folder, name), '{"odd":true}');
        const upload = ['files', 'upload', 'member', '--key', `key-${index}`, '--', name];
        expect([name, (await run(upload, folder)).exit]).toEqual([name, 0]);
        const download = ['files', 'download', 'member', `key-${index}`, `--output=${name}.copy`];
        expect([name, (await run(download, folder)).exit]).toEqual([name, 0]);
        expect(readFileSync(join(folder, `${name}.copy`), 'utf8')).toBe('{"odd":true}');
        const put = await run(['storage', 'put', 'member', '--yes', '--', name], folder);
        expect([name, put.exit, put.stderr]).toEqual([name, 0, expect.stringContaining('written')]);
      }),
    );
    expect(course.row('member')).toBe('{"odd":true}');
  },
);

hostile(
  {
    tried: 'names that are not UTF-8',
  },
  async () => {
    const course = await startCourse();
    const cwd = temporaryFolder();
    const { stdout, stderr } = await shell(
      `mkdir folder; echo hi > folder/good.txt; echo hi > $'folder/bad\\377.txt'
       lectern files upload member --key k -- $'folder/bad\\377.txt'; echo $?
       lectern files sync folder member -q; echo $?
       lectern files download member old.bin --output $'bad\\377'; echo $?
       lectern files sync member $'bad\\377'; echo $?
       lectern storage put member $'folder/bad\\377.txt' --yes; echo $?`,
      { cwd, env: { LECTERN_LAUNCH: course.launch } },
    );
    expect(stdout.split('\n')).toEqual(['2', 'good.txt\t3\tuploaded', '9', '3', '3', '2', '']);
    expect(stderr).toContain('its name is not UTF-8');
    expect(readdirSync(cwd)).toEqual(['folder']);
  },
);

hostile(
  {
    tried:
      'terminals: TERM dumb, unset and unknown, LANG=C, invalid COLUMNS, one to 500 columns wide',
  },
  async () => {
    const course = await startCourse();
    const home = temporaryFolder();
    const launch = { LECTERN_LAUNCH: course.launch };
    const file = join(home, 'row.json');
    for (const [index, env] of sampled([...TERMINALS.entries()], 3)) {
      writeFileSync(file, `{"n":${index}}`);
      const columns = WIDTHS[index % WIDTHS.length] as number;
      const options = { home, columns, env: { ...launch, ...env } };
      const put = pty(['storage', 'put', 'member', file], { ...options, columns: 80 });
      await put.shows('Replace the whole member row?');
      put.type('y\r');
      expect([env, await put.exit]).toEqual([env, 0]);
      expect(course.row('member')).toBe(`{"n":${index}}`);
      const download = ['files', 'download', 'member', 'old.bin', '--to', home, '--overwrite'];
      const shown = pty(download, options);
      expect([env, columns, await shown.exit]).toEqual([env, columns, 0]);
      if (isDumb(env)) expect(shown.bytes()).not.toContain('\u001b');
    }
  },
);

const TERMINALS: readonly Record<string, string>[] = [
  { TERM: 'dumb' },
  { TERM: '' },
  { TERM: 'unheard-of' },
  { LANG: 'C', LC_ALL: 'C' },
  { COLUMNS: '0', LINES: '-1' },
  { COLUMNS: 'wide' },
];
const WIDTHS = [80, 1, 3, 0, 500, 20];

function isDumb({ TERM }: Record<string, string>): boolean {
  return TERM === 'dumb' || TERM === '';
}

/** Each look at the clock gives another day: yesterday, one in 2033, one in 2019. */
const JUMPS_MS = [0, 7_200_000, -7_200_000, 86_400_000 * 2500, -86_400_000 * 2500];

hostile(
  {
    tried: 'a wall clock that jumps by hours and years whenever it is read',
    times: { short: 1, long: 20 },
  },
  async () => {
    const course = await startCourse();
    const home = temporaryFolder();
    writeFileSync(join(home, 'grades.csv'), 'member,score\nm-1,0.5\nm-2,0.5\nm-3,0.5\n');
    writeFileSync(join(home, 'row.json'), '{"n":1}');
    let asked = 0;
    const now = () => Date.now() + (JUMPS_MS[asked++ % JUMPS_MS.length] ?? 0);
    const options = {
      home,
      cwd: home,
      env: { LECTERN_LAUNCH: course.launch },
      clock: { ...systemClock, now },
    };
    const commands = [
      ['storage', 'get', 'member'],
      ['storage', 'put', 'member', 'row.json', '--yes'],
      ['storage', 'undo', 'member', '--yes'],
      ['storage', 'patch', 'member', '--add', '/x:=1'],
      ['files', 'upload', 'member', 'row.json'],
      ['files', 'download', 'member', '--all', '--to', 'to'],
      ['files', 'sync', 'member', 'to'],
      ['files', 'rm', 'member', 'row.json', '--yes'],
      ['grade', 'submit', '--score', '0.5'],
      ['grade', 'submit', '--from', 'grades.csv', '--yes', '--rate', '20'],
      ['grade', 'log', '--json'],
      ['grade', 'runs'],
      ['launch', 'save', 'a', course.launch],
      ['launch', 'check', 'a'],
      ['launch', 'list'],
      ['storage', 'history'],
    ];
    for (const args of commands) {
      const { exit, stderr } = await lectern(args, options);
      expect([args, exit, stderr]).toEqual([args, 0, expect.any(String)]);
    }
    expect([course.row('member'), course.grades.length]).toEqual(['{"a":1,"b":2,"x":1}', 4]);
    expect(readdirSync(join(home, 'to'))).toEqual(['old.bin', 'row.json']);
    const { images } = await ledgerOf(home);
    expect(images[0]).toMatchObject({ command: 'storage patch', outcome: 'written' });
  },
);
