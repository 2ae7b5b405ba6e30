import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/lectern.ts';
import { launchFor } from '../../support/service.ts';
import { linesIn, step, stepsAt } from '../../support/steps.ts';
import { emulated } from '../emulator/running.ts';

/** What is suggested for the last word of a line. */
async function candidates(line: string, at: Pick<ReturnType<typeof stepsAt>, 'step'>) {
  const { stdout } = await at.step(`completion candidates -- ${line}`, { stderr: '' });
  return stdout.split('\n').slice(0, -1);
}

/** A home with two launches and a key, and a file of grades. */
async function saved() {
  const origin = 'https://service.example';
  const grades = '\uFEFF"student_id",max_score,comment\r\nm-1,5,fine\r\n';
  const at = stepsAt({ files: { 'grades.csv': grades } });
  const input = JSON.stringify(launchFor(origin));
  await at.step('launch save monday -\nlaunch save tuesday -', { input });
  await at.step(`key save prod --origin ${origin}`, { input: 'key-canary-1' });
  return at;
}

const ROWS = 'context, location, member, member_location, parent_context, parent_location';
const FORMATS = ['text', 'json', 'sarif', 'github', 'junit'].map((each) => `--format=${each}`);
const COLUMNS = ['member', 'score', 'points', 'activity_progress', 'grading_progress'];

describe('completion', () => {
  test.each(
    linesIn(`
    st # storage
    nothing-such #
    storage p # put, patch
    help st # storage
    help storage ge # get
    storage get '' # ${ROWS}
    storage get --raw mem # member, member_location
    storage get member '' #
    -l '' # monday, tuesday
    --launch=t # --launch=tuesday
    --launch=monday storage get con # context
    -l monday --json storage get con # context
    grade submit --api-key '' # prod
    key rm '' # prod
    storage get --ra # --raw
    storage get -- --ra #
    validate row --kind par # parent_context, parent_location
    validate row --format= # ${FORMATS.join(', ')}
    validate --schema gr # grade, grades
    validate row '' #
    explain exi # exit-codes
    explain row.too_large_ # row.too_large_for_member
    provision '' # context, location
    completion '' # bash, zsh, fish, powershell
    help exi # exit-codes
    explain json stor # storage
    explain json storage ge # get
    explain limits '' #
    grade submit --from grades.csv --map st # ${COLUMNS.map((each) => `student_id=${each}`).join(', ')}
    grade submit --from grades.csv --map student_id=mem # student_id=member
    grade submit --from=grades.csv --map=student_id=sc # --map=student_id=score
    validate grades grades.csv --map student_id=mem # student_id=member
    grade submit --map student_id=mem #
    grade submit --from nothing-such.csv --map '' #`),
  )('suggests: %s', async (line) => {
    const [words = '', found = ''] = line.split(/ # ?/);
    const names = (await candidates(words, await saved())).map((each) => each.split('\t')[0]);
    expect(names.join(', ')).toBe(found);
  });

  test('lists every noun with its summary, and no secret', async () => {
    const at = await saved();
    const nouns = await candidates("''", at);
    expect(nouns.length).toBeGreaterThan(10);
    expect(nouns.join('\n')).toContain('storage\tread,');
    expect(nouns.join('\n')).not.toContain('candidates');
    expect(await candidates("-k ''", at)).toEqual(['prod\t']);
  });
});

describe('completion of saved names and names in files', () => {
  test('suggests runs, before-images and statuses', async () => {
    const at = await emulated();
    await at.step('emulator launch --role instructor --save teacher');
    const files = { 'grades.csv': 'member,score\nmember-111,0.5\nmember-112,1\n' };
    await at.step('grade submit --from grades.csv --yes', { files });
    for (const page of [1, 2]) await at.step(`storage patch member --add /page:=${page}`);
    const run = [expect.stringMatching(/^1\t.*grades\.csv, 2 rows$/)];
    const image = [/^2\t.*member, storage patch$/, /^1\t/].map((each) =>
      expect.stringMatching(each),
    );
    for (const [line, found] of [
      ["grade resume ''", run],
      ["grade log --run ''", run],
      ["storage undo member ''", image],
      ["storage history --show ''", image],
      ['grade log --status fa', ['failed\t']],
      ['grade log --status failed,re', ['failed,recorded\t', 'failed,refused\t']],
      ['grade log --status=failed,su', ['--status=failed,success\t']],
    ] as const) {
      expect([line, await candidates(line, at)]).toEqual([line, found]);
    }
    // Of another ledger than that of this machine none are suggested.
    const resume = "completion candidates -- grade resume ''";
    await at.step('ledger save team --url postgres://db.example/x', { input: '' });
    await at.step(resume.replace('--', '-- --ledger team'), { stdout: '' });
    await at.step(`ledger use team\n${resume}`, { stdout: '' });
    await at.step(`LECTERN_LEDGER=local ${resume}`, { stdout: /^1\t/ });
    await at.step(`ledger use local\n${resume}`, { stdout: /^1\t/ });
    await at.step(resume, { files: { 'lectern.json': '{"ledger":"team"}' }, stdout: '' });
  });

  test('without a ledger suggests no runs, and creates no ledger', async () => {
    const at = stepsAt();
    expect(await candidates("grade resume ''", at)).toEqual([]);
    expect(readdirSync(at.home)).toEqual([]);
  });
});

describe('completion scripts', () => {
  test('for PowerShell call the candidates and split their lines', async () => {
    const { stdout } = await step('completion powershell', { stderr: '' });
    expect(stdout).toContain('Register-ArgumentCompleter -Native -CommandName lectern');
    expect(stdout).toContain("lectern completion candidates '--' @words $last");
    // Each of these ends a string in single quotes, and is doubled.
    expect(stdout).toContain(String.raw`($found -replace "(['\u2018-\u201b])", '$1$1')`);
    // A line is a word, one tab and a summary: the script splits it there.
    const at = await saved();
    for (const words of ["''", "storage ''", "-l ''", 'storage get --']) {
      for (const line of await candidates(words, at)) expect(line).toMatch(/^[^\t]+\t[^\t]*$/);
    }
  });

  test.each(['bash', 'zsh', 'fish'])('exist for %s', async (shell) => {
    const stdout = 'completion candidates --';
    const { stdout: script } = await step(`completion ${shell}`, { stderr: '', stdout });
    await step(`completion ${shell} --json`, { json: { shell, script } });
    // Where the shell is on this machine, it takes the script.
    const file = join(temporaryFolder(), 'script');
    writeFileSync(file, script);
    const parsed = spawnSync(shell, ['-n', file]);
    if (parsed.error === undefined) expect(parsed.stderr.toString()).toBe('');
  });

  test('do not exist for other shells', async () => {
    await step(`
      completion bsh # exit 2: did you mean bash?
      completion cmd # exit 2: one of bash, zsh, fish, powershell`);
  });
});
