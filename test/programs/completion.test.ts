import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { expect, test } from 'vitest';
import { GRADE_COLUMNS } from '../../src/validator/grades.ts';
import { emulated } from '../cli/emulator/running.ts';
import { folderOfBinary } from '../support/binary.ts';
import { environment, temporaryFolder } from '../support/lectern.ts';
import { ptyOf } from '../support/pty.ts';
import { waitingFor } from '../support/scope.ts';

/** A test in a real shell: left out where there is none; a failure in CI. */
function shellTest(shell: string, name: string, run: () => Promise<void>): void {
  const isThere = spawnSync(shell, ['--version']).status === 0;
  if (!isThere) process.stderr.write(`left out: ${name}: there is no ${shell}\n`);
  test.skipIf(!isThere && !process.env.CI)(name, run);
}

interface Place {
  readonly home: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A home with two launches and a run, and a folder with two files, one of them in a folder. */
async function prepared(): Promise<Place> {
  const { home, run } = await emulated();
  const cwd = temporaryFolder();
  for (const name of ['monday', 'tuesday']) {
    await run(`emulator launch --role instructor --save ${name}`);
  }
  writeFileSync(`${cwd}/sent.csv`, 'member,score\nmember-111,0.5\n');
  expect((await run('grade submit --from sent.csv --yes', { cwd })).exit).toBe(0);
  rmSync(`${cwd}/sent.csv`);
  mkdirSync(`${cwd}/my dir`);
  for (const folder of [cwd, `${cwd}/my dir`, home]) {
    writeFileSync(`${folder}/export.csv`, 'Student ID,Score: final,student_id\n');
  }
  writeFileSync(`${cwd}/odd.csv`, `${ODD},${GRADE_COLUMNS.slice(1).join(',')}\n`);
  return { home, cwd, env: { PATH: `${folderOfBinary()}${delimiter}${process.env.PATH}` } };
}

/** What is typed before Tab, and what that adds. */
const LINES: readonly (readonly [typed: string, added: string])[] = [
  ['lectern stor', 'age '],
  ['lectern storage get member_', 'location '],
  ['lectern launch use m', 'onday '],
  ['lectern --launch=m', 'onday '],
  ['lectern --launch=monday storage pu', 't '],
  ['lectern grade resume ', '1 '],
  // Where lectern knows nothing, the shell completes files.
  ['lectern validate row exp', 'ort.csv '],
  ['lectern grade submit --map a=b --activity-progress C', 'ompleted '],
  ['lectern grade submit --from export.csv --map student_id=mem', 'ber '],
  ['lectern grade submit --from export.csv --map Stu', 'dent\\ ID='],
  ['lectern grade submit --from export.csv --map Student\\ ID=mem', 'ber '],
  ['lectern grade submit --from export.csv --map "Student ID=mem', 'ber" '],
  ['lectern grade submit --from export.csv --map Score:\\ final=mem', 'ber '],
  ["lectern grade submit --from 'my dir/export.csv' --map Student\\ ID=mem", 'ber '],
  ['lectern grade submit --from my\\ dir/export.csv --map Student\\ ID=mem', 'ber '],
  ['lectern grade submit --from ~/export.csv --map Student\\ ID=mem', 'ber '],
];

/** A column that a shell must not run, and ways to begin it. */
const ODD = 'Sc$(touch pwned)`touch pwned`\'"\\&*';
const BEGUN = ['Sc', '"Sc', "'Sc", 'S"c', `"S"'c`];

const TAB = '\t';
const CLEAR = '\u0015';
/** Is bound to a command that writes the line to a file. */
const WRITE = '\u0014';

/** Types lines in an interactive shell, with Tab at their ends; `list` has several candidates. */
async function completed(
  command: readonly string[],
  { setup, list, shown }: { setup: string; list: string; shown: string },
): Promise<void> {
  const place = await prepared();
  const terminal = ptyOf(command, { ...place, columns: 120 });
  const file = `${place.cwd}/line`;
  terminal.type(`PS1='> '; ${setup}; echo ready-$((1 + 1))\r`);
  await terminal.shows('ready-2');
  const lineAfter = (typed: string): Promise<string> => {
    rmSync(file, { force: true });
    terminal.type(CLEAR + typed + TAB + WRITE);
    return waitingFor(`the line after ${typed}`, lineIn(file));
  };
  for (const [typed, added] of LINES) expect(await lineAfter(typed)).toBe(typed + added);
  for (const begun of BEGUN) {
    const line = await lineAfter(`lectern grade submit --from odd.csv --map ${begun}`);
    const words = ['-c', line.replace('lectern', "printf '%s\\n'")];
    const { stdout } = spawnSync(command[0] as string, words, { cwd: place.cwd });
    expect(String(stdout)).toBe(`grade\nsubmit\n--from\nodd.csv\n--map\n${ODD}=member\n`);
  }
  expect(existsSync(`${place.cwd}/pwned`)).toBe(false);
  expect(terminal.screen()).not.toMatch(/error|not found|bad /i);
  terminal.type(CLEAR + list);
  await terminal.shows(shown);
}

async function lineIn(file: string): Promise<string> {
  for (;;) {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    if (text.endsWith('\n')) return text.slice(0, -1);
    await new Promise((resolve) => void setTimeout(resolve, 10));
  }
}

shellTest('bash', 'completion in bash', () =>
  completed(['bash', '--norc', '--noprofile', '-i'], {
    setup: `eval "$(lectern completion bash)"; bind -x '"\\C-t": printf "%s\\n" "$READLINE_LINE" > line'`,
    list: `lectern launch use ${TAB}${TAB}`,
    shown: 'monday   tuesday',
  }),
);

shellTest('zsh', 'completion in zsh', () =>
  completed(['zsh', '-f', '-i'], {
    setup:
      'autoload -Uz compinit; compinit -D -u; source <(lectern completion zsh); ' +
      'dump() { print -r -- "$BUFFER" > line }; zle -N dump; bindkey "^T" dump',
    list: `lectern grade re${TAB}`,
    shown: 'report  -- print the grades of a run',
  }),
);

shellTest('fish', 'completion in fish', async () => {
  const { home, cwd, env } = await prepared();
  const script = 'lectern completion fish | source; for line in $argv; complete -C $line; end';
  const candidatesOf = (line: string): string[] => {
    const options = { cwd, env: environment({ home, env }) };
    const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script, line], options);
    expect([line, stderr.toString()]).toEqual([line, '']);
    return stdout.toString().trimEnd().split('\n');
  };
  for (const [line, candidates] of [
    ['grade re', ['report\tprint the grades of a run', 'resume\tresume a run']],
    ['launch use ', ['monday', 'tuesday']],
    ['grade resume ', [expect.stringMatching(/^1\t.*, sent\.csv, 1 row$/)]],
    ['--launch=m', ['--launch=monday']],
    ['validate row exp', ['export.csv']],
    ['grade submit --from export.csv --map Score:\\ final=mem', ['Score: final=member']],
  ] as const) {
    expect([line, candidatesOf(`lectern ${line}`)]).toEqual([line, candidates]);
  }
  const from = ['export.csv', "'my dir/export.csv'", 'my\\ dir/export.csv', '~/export.csv'];
  const begun = ['Student\\ ID=mem', '"Student ID=mem', "'Student ID=mem"];
  for (const [file, word] of [
    ...from.map((each) => [each, 'Student\\ ID=mem']),
    ...begun.map((each) => ['export.csv', each]),
  ]) {
    const line = `lectern grade submit --from ${file} --map ${word}`;
    expect([line, candidatesOf(line)]).toEqual([line, ['Student ID=member']]);
  }
});
