import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { globSync } from 'tinyglobby';
import { expect, test } from 'vitest';
import { TOPICS } from '../../src/cli/help/topics.ts';
import { atTerminal, errorsOf, jsonOf, linesIn, step } from '../support/steps.ts';

test.each(
  linesIn(`
  help exit-codes #    10  in doubt
  help flags # --launch <name|file>
  help environment # LECTERN_HOME
  help scripting # lectern grade submit --from
  help # Usage: lectern [options] [command]
  help storage # Usage: lectern storage [options] [command]
  help storage get # Usage: lectern storage get [options] [row] [pointer]`),
)('lectern %s is printed on standard output', async (line) => {
  await step(line, { stderr: '' });
});

test('help environment lists each variable that lectern reads', async () => {
  const sources = globSync('src/**/*.ts').map((file) => readFileSync(file, 'utf8'));
  const read = sources.join('\n').match(/\b(LECTERN_[A-Z]+(_[A-Z]+)*|(?<=env\.)PG[A-Z]+)\b/g);
  const { stdout } = await step('help environment');
  expect(read).toEqual(expect.arrayContaining(['LECTERN_HOME', 'PGUSER']));
  expect([...new Set(read)].filter((name) => !stdout.includes(name))).toEqual([]);
});

test('every help page fits into a terminal of 60 columns', async () => {
  const columns = 60;
  for (const page of ['flags', ...Object.keys(TOPICS), 'grade', 'storage get']) {
    const { bytes } = await atTerminal(`help ${page}`, { columns });
    const lines = stripVTControlCharacters(bytes).split('\r\n');
    // A command that is to be pasted stays whole.
    const tooLong = lines.filter((line) => line.length > columns && !/^ +lectern /.test(line));
    expect([page, tooLong]).toEqual([page, []]);
  }
});

test.each(
  linesIn(`
  grade submitt --from x # exit 2: unknown command "submitt"; did you mean submit?
  grad submit --from x # exit 2: unknown command "grad"; did you mean grade?
  --lanch x grade runs # exit 2: unknown option '--lanch'; did you mean --launch?
  emu start # exit 2: unknown command "emu"; did you mean emulator?
  stor get member # exit 2: unknown command "stor"; did you mean storage?
  help exit # exit 2: unknown command "exit"; did you mean exit-codes?
  help nope # exit 2: unknown command "nope"; one of flags, exit-codes, environment
  help submit # exit 2: unknown command "submit"; did you mean grade submit?
  help storag # exit 2: unknown command "storag"; did you mean storage?
  help storage gte # exit 2: unknown command "gte"; did you mean get?
  help storage get row # exit 2: unknown command "row"
  storage get member_loc # exit 2: unknown row "member_loc"; did you mean member_location?
  files upload --mime a/b # exit 2: unknown option '--mime'; did you mean --mimetype?
  files upload --mime-type # exit 2: '--mime-type'; did you mean --mimetype?
  grade submit --conc 3 # exit 2: unknown option '--conc'; did you mean --concurrency?
  storage patch --add-patch # exit 2: '--add-patch'; did you mean --add?
  get context # exit 2: unknown command "get"; did you mean storage get?
  submti # exit 2: unknown command "submti"; did you mean grade submit?
  grade check # exit 2: unknown command "check"; did you mean launch check?
  rm x # exit 2: unknown command "rm"; one of launch rm, key rm, files rm, ledger rm
  emulator row x # exit 2: unknown command "row"; did you mean emulator show row?
  emulator members # exit 2: "members"; did you mean emulator show members?
  emulator summary --json # exit 2: summary; did you mean emulator state?
  emulator show files # exit 2: missing required argument 'row'; emulator show file-sets
  completion '' # exit 2: unknown command ""; one of bash, zsh, fish
  grade --bogus # exit 2: unknown option '--bogus'
  grade runs x # exit 2: too many arguments for 'runs': expected 0, got 1
  grade submit x.csv # exit 2: too many arguments for 'submit'; is given with --from FILE
  help exit-codes --json # exit 2: lectern help exit-codes has no JSON form
  help --man --brief # exit 2: cannot be used together
  demo --json # exit 2: lectern demo and --json cannot be used together
  help --json --brief # exit 2: cannot be used together
  help --man grades # exit 2: did you mean grade?
  --json # exit 2: lectern needs a command`),
)('lectern %s', async (line) => {
  const [command = '', said = ''] = line.split(' # exit 2: ');
  await step(command, { exit: 2, stdout: '', stderr: said.split('; ') });
});

test.each(['storage put --yse', 'launch save --froce', 'grade submit --agian'])(
  'a flag that skips a question is not suggested: %s',
  async (line) => {
    const [, command, flag] = /^(\S+ \S+) (\S+)$/.exec(line) ?? [];
    const { stderr } = await step(line, { exit: 2 });
    expect(stderr).toBe(`lectern: unknown option '${flag}'\n  see lectern ${command} --help\n`);
  },
);

test.each(
  linesIn(`
  grade submit --form x # exit 2: lectern grade submit --help
  -l files grade submit --from x --score 1 # exit 2: lectern grade submit --help
  storage get # exit 2: lectern storage get --help
  storage history clear x # exit 2: lectern storage history clear --help
  storage gte member # exit 2: lectern storage --help
  help storage gte # exit 2: lectern storage --help
  -- grade runs x # exit 2: lectern grade runs --help
  grad # exit 2: lectern --help`),
)('an error ends with the help command to run: %s', async (line) => {
  const { stderr } = await step(line);
  const help = / # exit 2: lectern (.*)$/.exec(line)?.[1] ?? '';
  expect(stderr.split('\n').slice(-2)).toEqual([`  see lectern ${help}`, '']);
  await step(help, { stdout: `Usage: lectern ${help}`.replace(/ ?--help$/, '') });
});

test('the help command is the hint in JSON if an error has no other hint', async () => {
  const hintOf = async (line: string) => errorsOf(await step(`${line} --json`, { exit: 2 })).hint;
  expect(await hintOf('grade runs x')).toBe('see lectern grade runs --help');
  expect(await hintOf('grade submit --form x')).toBe('did you mean --from?');
  expect(await hintOf('grade report 7')).not.toContain('--help');
});

test('the value of an unknown flag, or of a flag without values, is not repeated', async () => {
  const lacks = ['true', 'canary'];
  await step('key list --json=true # exit 2: takes a value', { lacks });
  await step("key list '--token=launch-canary-1\\n2'", { exit: 2, shows: '--token', lacks });
});

test('lectern, lectern --help and lectern emulator --help list their commands in groups', async () => {
  const nouns = ['Course data:', 'Develop and test:', 'lectern itself:', 'Options:'];
  const ofEmulator = 'Options: Run: Launch: Data: LMS and faults: Look: Move:';
  for (const [line, groups] of [
    ['', nouns],
    ['--help', nouns],
    ['emulator --help', ofEmulator.split(/(?<=:) /)],
  ] as const) {
    expect((await step(line)).stdout.match(/^[A-Za-z ]+:$/gm)).toEqual(groups);
  }
});

test('--version prints only the version, and with --json one document', async () => {
  const { stdout } = await step('--version', { stdout: /^\d+\.\d+\.\d+\n$/ });
  expect((await step('-V')).stdout).toBe(stdout);
  for (const line of ['--version --json', '--json -V', '--version --json --no-color']) {
    expect(jsonOf(await step(line))).toEqual({ version: stdout.trim() });
  }
});
