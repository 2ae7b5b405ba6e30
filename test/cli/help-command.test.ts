import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { globSync } from 'tinyglobby';
import { describe, expect, test } from 'vitest';
import { TOPICS } from '../../src/cli/help/topics.ts';
import { lectern } from '../support/lectern.ts';
import { terminal } from '../support/terminal.ts';

test.each([
  [['help', 'exit-codes'], '   10  in doubt'],
  [['help', 'flags'], '--launch <name|file>'],
  [['help', 'environment'], 'LECTERN_HOME'],
  [['help', 'scripting'], 'lectern grade submit --from'],
])('lectern %j prints a page', async (args, text) => {
  const { exit, stdout, stderr } = await lectern(args);
  expect([exit, stdout, stderr]).toEqual([0, expect.stringContaining(text), '']);
});

test('help environment lists each variable that lectern reads', async () => {
  const sources = globSync('src/**/*.ts').map((file) => readFileSync(file, 'utf8'));
  const read = sources.join('\n').match(/\b(LECTERN_[A-Z]+(_[A-Z]+)*|(?<=env\.)PG[A-Z]+)\b/g);
  const { stdout } = await lectern(['help', 'environment']);
  expect(read).toEqual(expect.arrayContaining(['LECTERN_HOME', 'PGUSER']));
  expect([...new Set(read)].filter((name) => !stdout.includes(name))).toEqual([]);
});

test.each([60, 80, 120])('every help page fits into a terminal of %i columns', async (columns) => {
  const pages = ['flags', ...Object.keys(TOPICS), 'grade', 'storage get'];
  for (const page of pages) {
    const shown = terminal(['help', ...page.split(' ')], { columns });
    expect([page, await shown.exit]).toEqual([page, 0]);
    const lines = stripVTControlCharacters(shown.bytes()).split('\r\n');
    // A command that is to be pasted stays whole.
    const tooLong = lines.filter((line) => line.length > columns && !/^ +lectern /.test(line));
    expect([page, tooLong]).toEqual([page, []]);
  }
});

test.each([
  [['grade', 'submitt', '--from', 'x'], 'unknown command "submitt"', 'did you mean submit?'],
  [['grad', 'submit', '--from', 'x'], 'unknown command "grad"', 'did you mean grade?'],
  [['--lanch', 'x', 'grade', 'runs'], "unknown option '--lanch'", 'did you mean --launch?'],
  [['emu', 'start'], 'unknown command "emu"', 'did you mean emulator?'],
  [['stor', 'get', 'member'], 'unknown command "stor"', 'did you mean storage?'],
  [['help', 'exit'], 'unknown command "exit"', 'did you mean exit-codes?'],
  [['storage', 'get', 'member_loc'], 'unknown row "member_loc"', 'did you mean member_location?'],
  [['files', 'upload', '--mime', 'a/b'], "unknown option '--mime'", 'did you mean --mimetype?'],
  [['files', 'upload', '--mime=a/b'], "unknown option '--mime'\n", 'did you mean --mimetype?'],
  [['files', 'upload', '--mime-type'], "'--mime-type'", 'did you mean --mimetype?'],
  [['grade', 'submit', '--conc', '3'], "unknown option '--conc'", 'did you mean --concurrency?'],
  [['storage', 'patch', '--add-patch'], "'--add-patch'", 'did you mean --add?'],
  [['grade', '--lanch', 'x'], "unknown option '--lanch'", 'did you mean --launch?'],
  [['get', 'context'], 'unknown command "get"', '  did you mean storage get?\n'],
  [['submti'], 'unknown command "submti"', '  did you mean grade submit?\n'],
  [['grade', 'check'], 'unknown command "check"', '  did you mean launch check?\n'],
  [['rm', 'x'], 'unknown command "rm"', '  one of launch rm, key rm, files rm, ledger rm\n'],
  [['emulator', 'row', 'x'], 'unknown command "row"', '  did you mean emulator show row?\n'],
  [['emulator', 'members'], '"members"', '  did you mean emulator show members?\n'],
  [['emulator', 'summary', '--json'], 'summary', 'did you mean emulator state?'],
  [['emulator', 'show', 'files'], "missing required argument 'row'", 'emulator show file-sets'],
  [['completion', ''], 'unknown command ""', 'one of bash, zsh, fish'],
  [['grade', '--bogus'], "unknown option '--bogus'", ''],
  [['grade', 'runs', '--bogus', '--', '-h'], "unknown option '--bogus'", ''],
  [['grade', 'runs', 'x'], "too many arguments for 'runs': expected 0, got 1\n", ''],
  [['grade', 'submit', 'x.csv'], "too many arguments for 'submit'", 'is given with --from FILE'],
])(
  'lectern %j is rejected with the nearest name, with and without flags: 2',
  async (args, message, hint) => {
    const { exit, stdout, stderr } = await lectern(args);
    expect([exit, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
  },
);

test.each([
  ['storage', 'put', '--yse'],
  ['launch', 'save', '--froce'],
  ['grade', 'submit', '--agian'],
  ['grade', 'resume', '--retry-indoubt'],
  ['files', 'download', '--overwrit'],
])('a flag that skips a question is not suggested: %s %s %s', async (...args) => {
  const { exit, stderr } = await lectern(args);
  const [noun, verb, flag] = args;
  const lines = [`lectern: unknown option '${flag}'`, `  see lectern ${noun} ${verb} --help`];
  expect([exit, stderr]).toEqual([2, `${lines.join('\n')}\n`]);
});

test.each([
  [['grade', 'submit', '--form', 'x'], 'lectern grade submit --help'],
  [
    ['-l', 'files', 'grade', 'submit', '--from', 'x', '--score', '1'],
    'lectern grade submit --help',
  ],
  [['storage', 'get'], 'lectern storage get --help'],
  [['storage', 'history', 'clear', 'x'], 'lectern storage history clear --help'],
  [['storage', 'gte', 'member'], 'lectern storage --help'],
  [['help', 'storage', 'gte'], 'lectern storage --help'],
  [['--', 'grade', 'runs', 'x'], 'lectern grade runs --help'],
  [['grad'], 'lectern --help'],
])('the error of %j ends with the help command to run', async (args, line) => {
  const { exit, stderr } = await lectern(args);
  expect([exit, stderr.split('\n').slice(-2)]).toEqual([2, [`  see ${line}`, '']]);
  expect((await lectern(line.split(' ').slice(1))).stdout).toContain(`Usage: ${line.slice(0, -7)}`);
});

test('the help command is the hint in JSON if an error has no other hint', async () => {
  const hintOf = async (...args: string[]) =>
    JSON.parse((await lectern([...args, '--json'])).stderr).error.hint;
  expect(await hintOf('grade', 'runs', 'x')).toBe('see lectern grade runs --help');
  expect(await hintOf('grade', 'submit', '--form', 'x')).toBe('did you mean --from?');
  expect(await hintOf('grade', 'report', '7')).not.toContain('--help');
});

describe('help', () => {
  test.each([
    [['help'], 'Usage: lectern [options] [command]'],
    [['help', 'storage'], 'Usage: lectern storage [options] [command]'],
    [['help', 'storage', 'get'], 'Usage: lectern storage get [options] [row] [pointer]'],
  ])('prints the help of a command: %j', async (args, usage) => {
    const { exit, stdout, stderr } = await lectern(args);
    expect([exit, stdout.split('\n')[0], stderr]).toEqual([0, usage, '']);
  });

  test.each([
    [['help', 'storag'], 'unknown command "storag"\n  did you mean storage?'],
    [['help', 'storage', 'gte'], 'unknown command "gte"\n  did you mean get?'],
    [['help', 'storage', 'get', 'row'], 'unknown command "row"'],
  ])('reports a command without help: %j: 2', async (args, message) => {
    const { exit, stdout, stderr } = await lectern(args);
    expect([exit, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
  });
});

test('help of a topic has no JSON form: 2', async () => {
  const { exit, stderr } = await lectern(['help', 'exit-codes', '--json']);
  expect([exit, JSON.parse(stderr).error]).toMatchObject([
    2,
    { message: 'lectern help exit-codes has no JSON form' },
  ]);
});

test('--json without a command prints no document: 2', async () => {
  const { exit, stdout, stderr } = await lectern(['--json']);
  expect([exit, stdout]).toEqual([2, '']);
  expect(JSON.parse(stderr)).toMatchObject({ error: { message: 'lectern needs a command' } });
  expect((await lectern([])).exit).toBe(0);
});

test.each([
  ['--json=true', "no option '--json' takes a value\n  see"],
  ['--token=launch-canary-1\n2', "unknown option '--token'\n"],
])(
  'the value of an unknown flag, or of a flag without values (%j), is not repeated: 2',
  async (flag, message) => {
    const { exit, stderr } = await lectern(['key', 'list', flag]);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(stderr).not.toMatch(/true|canary/);
  },
);

test('lectern --help lists its commands in three groups before its flags', async () => {
  const { stdout } = await lectern(['--help']);
  const headings = stdout.split('\n').filter((line) => /^[A-Za-z ]+:$/.test(line));
  expect(headings).toEqual(['Course data:', 'Develop and test:', 'lectern itself:', 'Options:']);
});
