import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { errorsOf, type ShownError } from './errors.ts';
import { bench, file, readLines } from './bulk.ts';
import { terminal } from '../../support/terminal.ts';

const EXPORT =
  'Student,SIS ID,Email,Score,Feedback\nAda,s-1,ada@example.org,0.5,Good\nBob,s-2,bob@example.org,1,\n';
const FLAGS = [
  '--map',
  'SIS ID=member',
  '--map',
  'Feedback=comment',
  '--ignore-column',
  'Student',
  '--ignore-column',
  'Email',
];

const submit = (text: string, ...flags: string[]): string[] => [
  'grade',
  'submit',
  '--from',
  file(text, 'export.csv'),
  '--yes',
  '--json',
  ...flags,
];

async function refused(args: string[], exit = 3): Promise<ShownError> {
  const { run, requests } = await bench();
  const result = await run(args);
  expect([result.exit, requests.length], result.stderr).toEqual([exit, 0]);
  return errorsOf(result);
}

describe('a grade file with the columns of an export', () => {
  test('gets a hint for its unknown columns that is a working command line', async () => {
    const { findings = [], hint } = await refused(submit(EXPORT));
    const flags =
      "--map 'SIS ID=member' --map Feedback=comment --ignore-column Student --ignore-column Email";
    expect(hint).toContain(flags);
    for (const finding of findings) expect(finding.hint).toContain(flags);
    const { run, arrived } = await bench();
    expect((await run(submit(EXPORT, ...FLAGS))).exit).toBe(0);
    expect(arrived().toSorted()).toEqual(['s-1', 's-2']);
  });

  test.each([
    ['Score', '--map SISID=member --map Score=points --max-score POINTS --ignore-column Student'],
    [
      'Final Grade',
      "--map SISID=member --map 'Final Grade=points' --max-score POINTS --ignore-column Student",
    ],
  ])('gets a hint that leaves the points possible open (%s)', async (column, flags) => {
    const text = `Student,SISID,${column}\nAda,s-1,85\nBob,s-2,72.5\n`;
    const sentence = ' (POINTS: the points possible of the column)';
    expect((await refused(submit(text))).hint).toContain(flags + sentence);
    const { run, requests } = await bench();
    const given = flags.replace('POINTS', '100').match(/'[^']*'|\S+/g) ?? [];
    await run(submit(text, ...given.map((each) => each.replaceAll("'", ''))));
    const scores = requests.map(
      ({ body }) => (JSON.parse(body.toString()) as { score: number }).score,
    );
    expect(scores.toSorted()).toEqual([0.725, 0.85]);
  });

  test('gets wrapped findings, and each hint once', async () => {
    const { home, launch } = await bench();
    const cwd = dirname(file(EXPORT, 'export.csv'));
    const shown = terminal(['grade', 'submit', '--from', 'export.csv'], {
      home,
      cwd,
      env: { LECTERN_LAUNCH: launch },
      columns: 60,
    });
    expect(await shown.exit).toBe(3);
    const lines = shown.screen().trimEnd().split('\n');
    expect(lines.filter((line) => line.length > 60)).toEqual([]);
    const first = lines.findIndex((line) => line.startsWith('  error'));
    // A command is not broken, so that it can be copied; the terminal wraps it.
    const command = lines.findIndex((line) => line.trim().startsWith('lectern grade submit'));
    expect(lines.slice(first, command).filter((line) => !line.startsWith('  '))).toEqual([]);
    expect(lines.slice(command).join('')).toMatch(
      /^ *lectern grade submit --from export.csv --map 'SIS ID=member' .*--ignore-column Email/,
    );
    expect(lines).toContain('  [grades.column_unknown]');
    expect(shown.screen().replaceAll(/\n? +/g, ' ').split('read the file with:')).toHaveLength(2);
  });

  test('gets a hint for its other records with a line without a member', async () => {
    const line = 'Cleo,,cleo@example.org,0.5,\n,Total,,1.5,\n';
    const { hint } = await refused(submit(EXPORT + line));
    expect(hint).toMatch(
      / --map 'SIS ID=member' --map Feedback=comment --ignore-column Student --ignore-column Email$/,
    );
    const { code } = await refused(submit(EXPORT + line, ...FLAGS));
    expect(code).toBe('grades.invalid');
  });

  const wide = (columns: number): string => {
    const names = Array.from({ length: columns }, (_, index) => `Quiz ${index}`);
    return `SIS ID,Score,${names.join()}\ns-1,0.5,${names.map(() => '1').join()}\n`;
  };

  test.each<[string, string, string[], string]>([
    ['two columns with the same name', 'SIS ID,Score,X,X\ns-1,0.5,,\n', [], '--ignore-column X'],
    ['a column without a name', 'SIS ID,Score,\ns-1,0.5,\n', [], '--ignore-other-columns'],
    ['many other columns', wide(40), [], '--ignore-other-columns'],
    [
      'a record without a score',
      'SIS ID,Score,X\ns-1,0.5,\ns-2,,\n',
      [],
      '--skip-ungraded --ignore-column X',
    ],
    [
      'the flag --ignore-column',
      'SIS ID,Score,X\ns-1,0.5,\n',
      ['--ignore-column', 'x'],
      '--ignore-column x',
    ],
    [
      'the flag --ignore-other-columns',
      'SIS ID,Score\ns-1,1\n',
      ['--ignore-other-columns'],
      '--ignore-other-columns',
    ],
  ])('gets a hint with all flags for %s', async (_, text, flags, rest) => {
    const args = submit(text, ...flags);
    const command = `lectern grade submit --from ${args[3]} --launch \\S+ --json`;
    const { hint } = await refused(args);
    expect(hint).toMatch(
      new RegExp(`^read the file with: ${command} --map 'SIS ID=member' ${rest}$`),
    );
  });

  test.each([
    ['replaced by', []],
    ['added to', ['--map', 'Pts=points', '--max-score', '20', '--ignore-column', 'x']],
  ])('is read with flags %s those of the hint', async (_, flags) => {
    const { run } = await bench();
    const text = 'SIS ID,Pts,X,Y\ns-1,5,,\n';
    const first = ['--map', 'Pts=points', '--max-score', '20', '--ignore-column', 'x'];
    const hint = (await refused(submit(text, ...first))).hint ?? '';
    expect(hint).toMatch(/ --ignore-column x --ignore-column Y$/);
    const words = hint.replace(/^.*? (?=--map)/, '').match(/'[^']*'|\S+/g) ?? [];
    const whole = words.map((word) => word.replaceAll("'", ''));
    expect((await run(submit(text, ...flags, ...whole))).exit).toBe(0);
  });

  test('gets no hint with a command line if all lines lack a member', async () => {
    const { hint } = await refused(submit('Student,SIS ID,Score\nAda,,0.5\n'));
    expect(hint).not.toContain('--ignore-column');
  });

  test('gets no hint with a number that is not finite', async () => {
    const { findings = [] } = await refused(submit('member,score\na,9e999\nb,7e999\n'));
    expect(findings.map(({ message, hint }) => `${message}; ${hint}`)).toEqual([
      'score is larger than any number can be: 9e999; use a smaller number',
      'score is larger than any number can be: 7e999; use a smaller number',
    ]);
    const single = await refused(['grade', 'submit', '--score', '9e999', '--json']);
    expect(single.hint).toBe('use a smaller number');
  });

  test('gets no hint with a command line that would not work', async () => {
    const twice = EXPORT.replace('s-2', 's-1');
    const { hint } = await refused(submit(twice));
    expect(hint).not.toContain('--ignore-column');
  });

  test('has its column names compared without case and spaces', async () => {
    const { run, arrived } = await bench();
    const text = ' Sis id , SCORE,note\ns-1,0.5,x\n';
    const flags = ['--map', 'SIS ID=Member', '--ignore-column', 'NOTE'];
    expect((await run(submit(text, ...flags))).exit).toBe(0);
    expect(arrived()).toEqual(['s-1']);
  });

  test('has its ignored columns listed in the plan', async () => {
    const { run } = await bench();
    const flags = ['--map', 'SIS ID=member', '--ignore-other-columns', '--dry-run'];
    const json = await run(submit(EXPORT, ...flags));
    expect(JSON.parse(json.stdout)).toMatchObject({
      attempts: 2,
      ignored_columns: ['Student', 'Email', 'Feedback'],
    });
    const shown = await run(submit(EXPORT, ...flags).filter((each) => each !== '--json'));
    expect(shown.stdout).toContain('ignored columns\tStudent, Email, Feedback\n');
    const unnamed = await run(
      submit('member,score,\na,1,\n', ...flags.slice(2)).filter((each) => each !== '--json'),
    );
    expect(unnamed.stdout).toContain('ignored columns\t(no name)\n');
  });

  test('is read by a resume with the flags of its run', async () => {
    const { run } = await bench();
    const args = submit(EXPORT, ...FLAGS);
    const first = await run([...args, '--no-send']);
    const id = String(readLines(first).summary.run);
    const from = args[3] as string;
    const resumed = await run(['grade', 'resume', id, '--from', from, '--yes', '--json']);
    expect([resumed.exit, readLines(resumed).warning]).toEqual([0, undefined]);
  });

  test.each<[string, string[], string]>([
    ['reversed', ['--map', 'member=SIS ID'], "use --map 'SIS ID=member'"],
    [
      'reversed, with a quote',
      ['--map', "member=Student's ID"],
      `use --map 'Student'\\''s ID=member'`,
    ],
    ['mapped twice', ['--map', 'Email=member', '--map', 'email=comment'], ''],
    ['empty', ['--ignore-column', ' '], ''],
    ['mapped and ignored', ['--map', 'Email=member', '--ignore-column', 'email'], 'either'],
  ])('with a column that is %s is a usage error', async (_, flags, hint) => {
    expect((await refused(submit(EXPORT, ...flags), 2)).hint ?? '').toContain(hint);
  });

  test('without a column of the flags is rejected', async () => {
    for (const flag of ['--ignore-column', '--map']) {
      const value = flag === '--map' ? 'Nme=comment' : 'Nme';
      const { findings = [] } = await refused(submit('member,score\nm,1\n', flag, value));
      const hint = 'the columns of the file are member, score';
      const message = 'column Nme is missing';
      expect(findings).toMatchObject([{ code: 'grades.column_missing', message, hint }]);
    }
  });
});

describe('a grade file that cannot be sent', () => {
  test.each([
    ['PK\u0003\u0004\u0014\u0000workbook\n', 'an Excel workbook or another zip'],
    ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0', 'an old Excel workbook (.xls)'],
    ['<html><table><tr><td>member', 'an HTML table saved as .xls'],
    ['\r\n<TABLE border=1><tr><td>', 'an HTML table saved as .xls'],
    ['<?xml version="1.0"?><Workbook>', 'an XML spreadsheet saved as .xls'],
  ])('is reported as what it is: %j', async (text, found) => {
    const { run } = await bench();
    const input = Buffer.from(text, 'latin1');
    const result = await run(['grade', 'submit', '--from', '-', '--yes', '--json'], { input });
    expect([result.exit, errorsOf(result).findings]).toMatchObject([
      3,
      [
        {
          code: 'grades.encoding',
          message: `the file is ${found}, not CSV`,
          hint: 'open it in a spreadsheet program, and save it as "CSV UTF-8"',
        },
      ],
    ]);
  });

  test.each([
    [
      'records with the error',
      '{"member":"a","score":1,"x":1}\n{"member":"b","score":1,"x":1,"y":1}\n',
      'error: 2 records (1-2): "x" is not a column of a grade file; "y" is not',
    ],
    [
      'errors on one line',
      'member,score,max_score\na,x,y\n',
      'error: line 2: score must be a number',
    ],
  ])('is reported with the number of %s', async (_, text, words) => {
    const { run } = await bench();
    const { stderr } = await run(submit(text).filter((each) => each !== '--json'));
    expect(stderr).toContain(words);
  });

  test.each([
    'member|score\nm|0.5\n',
    'sep=;\nmember;score\nm;0.5\n',
    '"sep=,"\nmember,score\nm,0.5\n',
  ])('does not include the readable file %j', async (text) => {
    const { run, arrived } = await bench();
    expect((await run(submit(text))).exit).toBe(0);
    expect(arrived()).toEqual(['m']);
  });
});

describe('the scores of a grade file', () => {
  test('in percent give one finding with two remedies', async () => {
    const text = 'member,score\na,85\nb,90.5\nc,100\n';
    const { findings = [] } = await refused(submit(text));
    expect(findings).toMatchObject([{ code: 'grade.percent', line: null }]);
    expect(findings[0]?.hint).toMatch(
      /--map score=points --max-score POINTS \(POINTS: the points possible of the column\); or divide/,
    );
    const { run, requests } = await bench();
    const flags = ['--map', 'score=points', '--max-score', '100'];
    expect((await run(submit(text, ...flags))).exit).toBe(0);
    expect(requests.map(({ body }) => JSON.parse(body.toString()).score).toSorted()).toEqual([
      0.85, 0.905, 1,
    ]);
  });

  test.each([
    [['--map', 'Grade %=score'], "read them as points: --map 'Grade %=points' --max-score POINTS "],
    [
      ['--map', 'Grade %=score', '--max-score', '50'],
      "points of max_score: --map 'Grade %=points';",
    ],
  ])('in percent, read with %j, are reported with the column of the file', async (flags, words) => {
    const { findings = [] } = await refused(submit('member,Grade %\na,85\n', ...flags));
    expect(findings).toMatchObject([
      { code: 'grade.percent', hint: expect.stringContaining(words) as unknown },
    ]);
  });

  test.each(['0', '0.5', '1', '101'])(
    'are not taken for percent if one is %s and another is 85',
    async (one) => {
      const { findings = [] } = await refused(submit(`member,score\na,85\nb,${one}\n`));
      expect(findings.map(({ code }) => code)).not.toContain('grade.percent');
      expect(findings[0]).toMatchObject({ code: 'grade.score_range', line: 2 });
    },
  );

  test('can be points, which are sent as the fraction nearest to the exact one', async () => {
    const { run, requests } = await bench();
    await run(['grade', 'submit', '--from', file('member,points,max_score\na,8.7,10\n'), '--yes']);
    expect(requests.map(({ body }) => body.toString())).toEqual(['{"score":0.87,"max_score":10}']);
  });

  test('can be points, which a report keeps so that it can be submitted', async () => {
    const { run, requests, home } = await bench();
    const text = 'member,points,max_score\na,12,20\nb,0.1,0.3\nc,1,3\n';
    await run([...submit(text), '--mixed-max-score']);
    const shown = terminal(['grade', 'report', '1'], { home });
    await shown.exit;
    expect(shown.screen()).toMatch(/points +outcome[^]* a +12\/20 +success[^]* b +0\.1\/0\.3 /);
    const report = await run(['grade', 'report', '1']);
    const rows = report.stdout.split('\n').map((line) => line.split(',').slice(0, 3).join(','));
    expect(rows.slice(0, 4).join('\n')).toBe(text.trimEnd());
    const sent = (): string[] => requests.map(({ body }) => body.toString()).toSorted();
    const first = sent();
    requests.length = 0;
    const again = ['grade', 'submit', '--from', '-', '--yes', '--mixed-max-score'];
    expect((await run(again, { input: report.stdout })).exit).toBe(0);
    expect(sent()).toEqual(first);
  });

  test.each([
    [['--score', '85'], '85 % is 0.85: use --score 0.85, or --points 85/POINTS (POINTS: '],
    [
      ['--score', '8'],
      '8 is more than 1; a score is a fraction from 0 to 1; use --points 8/POINTS (',
    ],
    [['--score', '49.5'], 'from 0 to 1; use --points 49.5/POINTS ('],
    [['--score', '120'], 'from 0 to 1; use --points 120/POINTS ('],
    [['--score', '8', '--max-score', '20'], 'from 0 to 1; use --points 8/20'],
    [['--score', '85%'], '85 % is 0.85: use --score 0.85'],
    [['--score', '0.5 %'], '0.5 % is 0.005: use --score 0.005'],
    [['--points', '22/20'], '22 is more than 20'],
  ])('and wrong flags get a hint: %j', async (flags, words) => {
    const { message, hint } = await refused(['grade', 'submit', ...flags, '--json']);
    expect(`${message}; ${hint}`).toContain(words);
  });
});
