import { describe, expect, test } from 'vitest';
import { atTerminal, errorsOf, linesIn, type ShownError } from '../../support/steps.ts';
import { bench, bodyOf, gradeStep } from './bulk.ts';

const EXPORT =
  'Student,SIS ID,Email,Score,Feedback\nAda,s-1,ada@example.org,0.5,Good\nBob,s-2,bob@example.org,1,\n';
const FLAGS =
  "--map 'SIS ID=member' --map Feedback=comment --ignore-column Student --ignore-column Email";
const SUBMIT = 'grade submit --from export.csv --yes --json';
const exported = (text: string) => ({ files: { 'export.csv': text } });

/** The error of a command line that sends nothing; standard input is the export. */
async function refused(line: string, text: string, exit = 3): Promise<ShownError> {
  return errorsOf(await (await bench()).step(line, { ...exported(text), exit, sent: 0 }));
}

/** The scores that a command line sends for an export. */
async function scoresOf(line: string, text: string): Promise<number[]> {
  const { step, requests } = await bench();
  await step(line, exported(text));
  return requests.map((request) => bodyOf(request).score).toSorted();
}

describe('a grade file with the columns of an export', () => {
  test('gets a hint for its unknown columns that is a working command line', async () => {
    const { findings = [], hint } = await refused(SUBMIT, EXPORT);
    for (const each of [hint, ...findings.map((finding) => finding.hint)]) {
      expect(each).toContain(FLAGS);
    }
    await (await bench()).step(`${SUBMIT} ${FLAGS}`, { ...exported(EXPORT), sent: ['s-1', 's-2'] });
  });

  const UNGRADED = 'SIS ID,Score,X\ns-1,0.5,\ns-2,,\n';
  const wide = (columns: number): string => {
    const names = Array.from({ length: columns }, (_, index) => `Quiz ${index}`);
    return `SIS ID,Score,${names.join()}\ns-1,0.5,${names.map(() => '1').join()}\n`;
  };

  test.each([
    ['two columns of one name', 'SIS ID,Score,X,X\ns-1,0.5,,\n', '', '--ignore-column X'],
    ['a column without a name', 'SIS ID,Score,\ns-1,0.5,\n', '', '--ignore-other-columns'],
    ['many other columns', wide(40), '', '--ignore-other-columns'],
    ['a record without a score', UNGRADED, '', '--skip-ungraded --ignore-column X'],
    ['a flag', 'SIS ID,Score,X\ns-1,0.5,\n', '--ignore-column x', '--ignore-column x'],
    ['a line without a member', 'SIS ID,Score,X\n,1,\ns-1,1,\n', '', '--ignore-column X'],
  ])('gets a hint with all flags for %s', async (_, text, flags, rest) => {
    const { step, launch } = await bench();
    const line = `grade submit --from export.csv --launch ${launch} --json`;
    const hint = new RegExp(`^read the file with: lectern ${line} --map 'SIS ID=member' ${rest}$`);
    await step(`${line} ${flags}`, { ...exported(text), exit: 3, error: { hint }, sent: 0 });
  });

  test.each([
    ['replaced by', ''],
    ['added to', '--map Pts=points --max-score 20 --ignore-column x'],
  ])('is read with flags %s those of the hint', async (_, flags) => {
    const { step } = await bench();
    const first = '--map Pts=points --max-score 20 --ignore-column x';
    const files = exported('SIS ID,Pts,X,Y\ns-1,5,,\n');
    const { hint = '' } = errorsOf(await step(`${SUBMIT} ${first}`, { ...files, exit: 3 }));
    expect(hint).toMatch(/ --ignore-column x --ignore-column Y$/);
    await step(`${SUBMIT} ${flags} ${hint.replace(/^.*? (?=--map)/, '')}`);
  });

  test.each([
    ['all lines lack a member', 'Student,SIS ID,Score\nAda,,0.5\n'],
    ['it would not work', EXPORT.replace('s-2', 's-1')],
  ])('gets no hint with a command line if %s', async (_, text) => {
    expect((await refused(SUBMIT, text)).hint).not.toContain('--ignore-column');
  });

  test('gets no hint with a number that is not finite', async () => {
    const { findings } = await refused(SUBMIT, 'member,score\na,9e999\n');
    const message = 'score is larger than any number can be: 9e999';
    expect(findings).toMatchObject([{ message, hint: 'use a smaller number' }]);
    expect((await refused('grade submit --score 9e999 --json', '')).hint).toBe(
      'use a smaller number',
    );
  });

  test('has its ignored columns listed in the plan', async () => {
    const { step } = await bench();
    const dryRun = 'grade submit --from export.csv --ignore-other-columns --dry-run';
    const map = "--map 'SIS ID=member'";
    const ignored = ['Student', 'Email', 'Feedback'];
    const json = { attempts: 2, ignored_columns: ignored };
    await step(`${dryRun} ${map} --json`, { ...exported(EXPORT), json });
    await step(`${dryRun} ${map}`, { stdout: 'ignored columns\tStudent, Email, Feedback\n' });
    const unnamed = exported('member,score,\na,1,\n');
    await step(dryRun, { ...unnamed, stdout: 'ignored columns\t(no name)\n' });
  });

  test('with a column that is reversed, empty, mapped twice, or mapped and ignored is a usage error', async () => {
    const lines = `
      ${SUBMIT} --map 'member=SIS ID' # exit 2: use --map 'SIS ID=member'
      ${SUBMIT} --map Email=member --map email=comment # exit 2
      ${SUBMIT} --ignore-column ' ' # exit 2
      ${SUBMIT} --map Email=member --ignore-column email # exit 2: either`;
    await (await bench()).step(lines, { ...exported(EXPORT), sent: 0 });
  });
});

describe('a grade file that cannot be sent', () => {
  test.each([
    ['PK\u0003\u0004\u0014\u0000workbook\n', 'an Excel workbook or another zip'],
    ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0', 'an old Excel workbook (.xls)'],
    ['<html><table><tr><td>member', 'an HTML table saved as .xls'],
    ['<?xml version="1.0"?><Workbook>', 'an XML spreadsheet saved as .xls'],
  ])('is reported as what it is: %j', async (text, found) => {
    const message = `the file is ${found}, not CSV`;
    const hint = 'open it in a spreadsheet program, and save it as "CSV UTF-8"';
    await gradeStep('grade submit --from - --yes --json', {
      input: Buffer.from(text, 'latin1'),
      exit: 3,
      error: { findings: [{ code: 'grades.encoding', message, hint }] },
    });
  });

  test('is reported with the line of its errors', async () => {
    const input = 'member,score,max_score\na,x,y\n';
    const stderr = 'error: line 2: score must be a number';
    await (await bench()).step('grade submit --from - --yes', { input, exit: 3, stderr });
  });
});

describe('the scores of a grade file', () => {
  test('in percent give one finding with its lines and two remedies', async () => {
    const text = 'member,score\na,85\nb,0\nc,90.5\nd,100\n';
    const { findings = [] } = await refused(SUBMIT, text);
    expect(findings).toMatchObject([{ code: 'grade.percent', line: null }]);
    expect(findings[0]?.message).toContain('look like percent: lines 2, 4-5');
    expect(findings[0]?.hint).toContain(
      '--map score=points --max-score POINTS (POINTS: the points possible of the column); or divide',
    );
    const flags = '--map score=points --max-score 100';
    expect(await scoresOf(`${SUBMIT} ${flags}`, text)).toEqual([0, 0.85, 0.905, 1]);
  });

  test.each(['0.5', '1', '101'])('are not percent if one is %s and another is 85', async (one) => {
    const { findings } = await refused(SUBMIT, `member,score\na,85\nb,${one}\n`);
    expect(findings?.[0]).toMatchObject({ code: 'grade.score_range', line: 2 });
  });

  test('can be points, which a report keeps so that it can be submitted', async () => {
    const { step, home } = await bench();
    const text = 'member,points,max_score\na,12,20\nb,0.1,0.3\nc,1,3\n';
    const bodies = [
      { score: 0.6, max_score: 20 },
      { score: 1 / 3, max_score: 0.3 },
      { score: 1 / 3, max_score: 3 },
    ];
    await step(`${SUBMIT} --mixed-max-score`, { ...exported(text), bodies });
    const shows = /points +outcome[^]* a +12\/20 +success[^]* b +0\.1\/0\.3 /;
    await atTerminal('grade report 1', { home, shows });
    const { stdout } = await step('grade report 1');
    const rows = stdout.split('\n').map((line) => line.split(',').slice(0, 3).join(','));
    expect(rows.slice(0, 4).join('\n')).toBe(text.trimEnd());
    await step('grade submit --from - --yes --mixed-max-score', { input: stdout, bodies });
  });

  test.each(
    linesIn(`
    --score 85 # exit 3: 85 % is 0.85: use --score 0.85, or --points 85/POINTS (POINTS: 
    --score 8 # exit 3: 8 is more than 1 … a score is a fraction from 0 to 1 … use --points 8/POINTS (
    --score 49.5 # exit 3: from 0 to 1 … use --points 49.5/POINTS (
    --score 120 # exit 3: from 0 to 1 … use --points 120/POINTS (
    --score 8 --max-score 20 # exit 3: from 0 to 1 … use --points 8/20
    --score 85% # exit 3: 85 % is 0.85: use --score 0.85
    --score '0.5 %' # exit 3: 0.5 % is 0.005: use --score 0.005
    --points 17.5/0 # exit 3: must be greater than 0 … use --points 17.5/POINTS (
    --points 22/20 # exit 3: 22 is more than 20`),
  )('and wrong flags get a hint: grade submit %s', async (flags) => {
    await (await bench()).step(`grade submit ${flags}`, { sent: 0 });
  });
});
