import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/lectern.ts';
import { errorsOf, wordsOf } from './errors.ts';
import { bench } from './bulk.ts';

const FILES = {
  'grades.csv': 'member,score,group\na,0.5,A\nb,-,A\nc,1,B\nd,N/A,B\n',
  'ungraded.csv': 'member,score\na,-\nb,\nc,EX\n',
  'repeated.csv': 'member,score,assignment,at\na,0.5,ps1,1\na,1,ps2,2\nb,1,ps1,1\n',
  'resent.csv': 'member,score,at\na,0.5,1\na,1,1\n',
  'sis.csv': 'SIS ID,score\n#7,0.5\n8,1\n9,1\n',
  'roster.csv': 'SIS ID,member\n7,m-7\n8,m-8\n',
  'wide.csv': 'Name,member,SIS ID\nAda,m-7,7\nBo,m-8,8\nCy,m-9,9\n',
  'anonymous.csv': 'SIS ID,score\n7,0.5\n,1\n9,-\n',
  'percent.csv': 'member,score\na,87.5 %\n',
  'fractions.csv': 'member,Total Score\na,14\nb,0.5\n',
  'two.csv': 'a,b,c\n1,2,3\n',
  'twice.csv': 'sis,member\n7,m-7\n7,m-8\n',
  'only.csv': 'line,member,outcome\n2,a,failed\n',
  'ids.txt': 'a\nz\n',
};

/** A plan of one of the files, or what is wrong with it. */
async function planOf(file: string, flags: readonly string[]) {
  const { run, requests } = await bench();
  const cwd = temporaryFolder();
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(cwd, name), text);
  const submit = ['grade', 'submit', '--from', file, ...flags];
  const dry = await run([...submit, '--dry-run', '--json'], { cwd });
  expect(requests).toEqual([]);
  const { findings, ...plan } = dry.exit === 0 ? JSON.parse(dry.stdout) : errorsOf(dry);
  return { exit: dry.exit, plan, findings: findings ?? [], submit, cwd, run };
}

interface Reading {
  readonly file: string;
  readonly flags: readonly string[];
  readonly plan: Readonly<Record<string, unknown>>;
}

const IGNORE = '--ignore-other-columns';

test.each<Reading>([
  {
    file: 'grades.csv',
    flags: ['--skip-ungraded', IGNORE],
    plan: { attempts: 2, rows: 4, ungraded: { '-': 1, 'N/A': 1 } },
  },
  {
    file: 'grades.csv',
    flags: ['--skip-ungraded', '--skip-ungraded', '--where', 'Group=B', '--where', 'GROUP= B '],
    plan: { attempts: 1, not_selected: 2, ungraded: { 'N/A': 1 }, ignored_columns: ['group'] },
  },
  {
    file: 'grades.csv',
    flags: ['--where', 'group=B', '--where', 'score=1', '--ignore-column', 'group'],
    plan: { attempts: 1, not_selected: 3 },
  },
  {
    file: 'grades.csv',
    flags: ['--only', 'a', '--only', 'c', '--only', 'a', IGNORE],
    plan: { attempts: 2, not_selected: 2 },
  },
  { file: 'grades.csv', flags: ['--only', 'only.csv', IGNORE], plan: { attempts: 1 } },
  {
    file: 'grades.csv',
    flags: ['--only', 'ids.txt', IGNORE],
    plan: { attempts: 1, absent: ['z'] },
  },
  {
    file: 'repeated.csv',
    flags: ['--where', 'assignment=ps1', IGNORE],
    plan: { attempts: 2, not_selected: 1 },
  },
  { file: 'repeated.csv', flags: ['--last-wins', IGNORE], plan: { attempts: 2, replaced: 1 } },
  {
    file: 'sis.csv',
    flags: ['--map', 'SIS ID=member', '--members', 'roster.csv', '--skip-unknown'],
    plan: { attempts: 2, unknown: 1 },
  },
  {
    file: 'sis.csv',
    flags: ['--map', 'SIS ID=member', '--members', 'wide.csv', '--only', 'm-9'],
    plan: { attempts: 1, not_selected: 2 },
  },
  {
    file: 'anonymous.csv',
    flags: ['--map', 'SIS ID=member', '--skip-unknown', '--skip-ungraded'],
    plan: { attempts: 1, unknown: 1, ungraded: { '-': 1 } },
  },
  {
    file: 'anonymous.csv',
    flags: [
      '--map',
      'SIS ID=member',
      '--members',
      'roster.csv',
      '--skip-unknown',
      '--skip-ungraded',
    ],
    plan: { attempts: 1, unknown: 1, ungraded: { '-': 1 } },
  },
  { file: 'ungraded.csv', flags: ['--skip-ungraded'], plan: { attempts: 0, rows: 3 } },
])('$file is read with $flags', async ({ file, flags, plan }) => {
  expect(await planOf(file, flags)).toMatchObject({ exit: 0, plan });
});

const MAXIMA = 'SIS ID,Quiz 1 (out of 20)\nPoints Possible,25\na,5\nMax Points,30\n';

test.each([
  { flags: [], maximum: { points: 25, from: 'the row "Points Possible"' } },
  { flags: ['--max-score', '25'], maximum: { points: 25, from: 'the row "Points Possible"' } },
  {
    flags: ['--max-score', '50'],
    maximum: { points: 50, from: '--max-score; the row "Points Possible" has 25' },
  },
])('the plan says where the maximum comes from with $flags', async ({ flags, maximum }) => {
  const { run } = await bench();
  const map = ['--map', 'SIS ID=member', '--map', 'Quiz 1 (out of 20)=points'];
  const args = ['grade', 'submit', '--from', '-', '--dry-run', '--json', ...map, ...flags];
  const { stdout } = await run(args, { input: MAXIMA });
  expect(JSON.parse(stdout)).toMatchObject({ attempts: 1, maximum });
});

interface Refusal {
  readonly file: string;
  readonly flags: readonly string[];
  readonly exit: 2 | 3;
  readonly words: string;
}

test.each<Refusal>([
  {
    file: 'grades.csv',
    flags: [IGNORE],
    exit: 3,
    words:
      '2 records (3, 5): no grade: "-"; no grade: "N/A"; leave out records without a grade (--skip-ungraded)',
  },
  { file: 'grades.csv', flags: ['--where', ''], exit: 2, words: 'is not valid' },
  { file: 'grades.csv', flags: ['--where', '=B'], exit: 2, words: 'is not valid' },
  { file: 'grades.csv', flags: ['--where', 'group'], exit: 2, words: 'use --where COLUMN=VALUE' },
  {
    file: 'grades.csv',
    flags: ['--where', 'group=A', '--where', 'Group=B'],
    exit: 2,
    words: 'cannot have two values',
  },
  {
    file: 'grades.csv',
    flags: ['--where', 'team=A', IGNORE],
    exit: 3,
    words: 'column team is missing; the columns of the file are member, score, group',
  },
  { file: 'grades.csv', flags: ['--only', ''], exit: 2, words: '--only needs a member or a file' },
  {
    file: 'grades.csv',
    flags: ['--only', 'nobody.csv', IGNORE],
    exit: 2,
    words: 'nobody.csv cannot be read: no such file',
  },
  {
    file: 'grades.csv',
    flags: ['--only', 'two.csv', IGNORE],
    exit: 3,
    words: 'two.csv: the list of members has no column member',
  },
  {
    file: 'percent.csv',
    flags: [],
    exit: 3,
    words: 'use the fraction: 0.875; or read percentages with --map score=score',
  },
  {
    file: 'fractions.csv',
    flags: ['--map', 'Total Score=score'],
    exit: 3,
    words: "0.85; read points with --map 'Total Score=points' --max-score POINTS (POINTS: ",
  },
  {
    file: 'fractions.csv',
    flags: ['--map', 'Total Score=score', '--max-score', '20'],
    exit: 3,
    words: "0.85; read points with --map 'Total Score=points';",
  },
  {
    file: 'anonymous.csv',
    flags: ['--map', 'SIS ID=member'],
    exit: 3,
    words:
      'the member is empty; use the user.member of a launch, or leave out such records (--skip-unknown)',
  },
  { file: 'grades.csv', flags: ['--members', ''], exit: 2, words: 'it is empty' },
  {
    file: 'grades.csv',
    flags: ['--members', 'two.csv', IGNORE],
    exit: 3,
    words: 'the columns of the list of members are not clear: a, b, c',
  },
  {
    file: 'grades.csv',
    flags: ['--members', 'twice.csv', IGNORE],
    exit: 3,
    words: 'the identifier "7" has two members: m-7 and m-8',
  },
  {
    file: 'sis.csv',
    flags: ['--map', 'SIS ID=member', '--members', 'roster.csv'],
    exit: 3,
    words:
      'no member has the identifier "9"; add it to the list of members, or leave out such records (--skip-unknown)',
  },
  {
    file: 'repeated.csv',
    flags: [IGNORE],
    exit: 3,
    words:
      '2 lines of a differ in assignment: ps1, ps2; read the lines with one value: --where assignment=ps1',
  },
  {
    file: 'resent.csv',
    flags: [IGNORE],
    exit: 3,
    words:
      'duplicate member "a", first on line 2; keep one of them, or use the last one (--last-wins)',
  },
  {
    file: 'sis.csv',
    flags: ['--map', 'SIS ID=member', '--strict'],
    exit: 3,
    words: 'which probably was 7',
  },
])('$file with $flags ends with $exit', async ({ file, flags, exit, words }) => {
  const { submit, cwd, run } = await planOf(file, flags);
  const { exit: ended, stderr } = await run([...submit, '--yes'], { cwd });
  const text = stderr.replaceAll(/\n */g, '; ').replaceAll(/ \[[\w.]+\]/g, '');
  expect([ended, text]).toEqual([exit, expect.stringContaining(words)]);
  // The last of several records is never offered where it is of something else.
  if (file === 'repeated.csv') expect(stderr).not.toContain('--last-wins');
});

test('a file without any grade sends nothing, and says why', async () => {
  const { submit, cwd, run } = await planOf('ungraded.csv', []);
  const { exit, stderr } = await run([...submit, '--skip-ungraded', '--yes'], { cwd });
  expect([exit, stderr]).toEqual([
    0,
    expect.stringContaining('nothing to send: 3 records without a grade'),
  ]);
  expect(stderr).toContain('skipped, no grade\t3: 1 -, 1 empty, 1 EX');
});

describe('--strict', () => {
  const text = 'Exam 1,,\nmember,score,x\na,0.5,\n,,\nTotal,0.5,\n"Student, Test",1,\n';

  test('makes lines that are left out an error', async () => {
    const { run } = await bench();
    const args = ['grade', 'submit', '--from', '-', IGNORE, '--dry-run'];
    const lenient = await run(args, { input: text });
    expect([lenient.exit, lenient.stdout]).toEqual([
      0,
      expect.stringContaining(
        'left out 4 lines: 1 above the header; 4 empty; 5 Total; 6 Test Student\n',
      ),
    ]);
    const strict = await run([...args, '--strict', '--json'], { input: text });
    expect([strict.exit, JSON.parse(strict.stdout).findings]).toMatchObject([
      3,
      [1, 4, 5, 6].map((line) => ({ code: 'grades.left_out', line, severity: 'error' })),
    ]);
  });

  test('of validate grades makes them errors too', async () => {
    const { run } = await bench();
    const args = ['validate', 'grades', '-', IGNORE];
    expect((await run(args, { input: text })).exit).toBe(0);
    expect((await run([...args, '--strict'], { input: text })).exit).toBe(3);
  });
});

interface HintCase {
  readonly name: string;
  readonly text: string;
  /** Parts of the hint, in their order. */
  readonly hint: readonly string[];
}

test.each<HintCase>([
  {
    name: 'several columns that can be the score',
    text: 'Student,ID,SIS User ID,Section,Quiz 1 (11),Quiz 2 (12)\n    Points Possible,,,,20,10\nA,1,s-1,X,14,9\n',
    hint: [
      'several columns could be the score: Quiz 1 (11), Quiz 2 (12); read one of them: ',
      "--map 'Quiz 1 (11)=points' --max-score 20 ",
      '; or: lectern grade submit --from - ',
      "--map 'Quiz 2 (12)=points' --max-score 10 ",
    ],
  },
  {
    name: 'many columns that can be the score',
    text: 'Student,ID,SIS User ID,Section,Q (1),Q (2),Q (3),Q (4)\nA,1,s-1,X,1,1,1,1\n',
    hint: [
      'several columns could be the score: Q (1), Q (2), Q (3), Q (4); read one of them as COLUMN: ',
      '--map COLUMN=points --max-score POINTS ',
      '(POINTS: the points possible of the column)',
    ],
  },
  {
    name: 'a maximum in the name of a column',
    text: 'SIS ID,Quiz (out of 20)\ns-1,14.5\ns-2,17\n',
    hint: ["--map 'SIS ID=member' --map 'Quiz (out of 20)=points' --max-score 20"],
  },
  ...[
    'Max Points',
    'Maximum Grade',
    'points_available',
    'total points',
    'Out of',
    'possible',
    'denominator',
  ].map((name) => ({
    name: `the column ${name}`,
    text: `SIS ID,Grade,${name}\ns-1,14.5,20\n`,
    hint: [`--map '${name}=max_score'`.replaceAll(/'(\w+=\w+)'/g, '$1')],
  })),
  {
    name: 'fractions that may be points of a maximum',
    text: 'SIS ID,Grade,Out of\ns-1,0.5,1\n',
    hint: [
      'the file can be read in 2 ways: ',
      '--map Grade=score ',
      '; or: ',
      '--map Grade=points ',
    ],
  },
  {
    name: 'a course total only if there is no other score',
    text: 'ID number,Course total (Percentage),Last downloaded from this course\n1,85.00 %,0\n',
    hint: ["--map 'Course total (Percentage)=score'"],
  },
  {
    name: 'one item in points and in percent',
    text: 'ID number,Quiz: A (Real),Quiz: A (Percentage),Last downloaded from this course\n1,17,85 %,0\n',
    hint: [
      "'Quiz: A (Real)=points' --max-score POINTS ",
      '; or: ',
      "'Quiz: A (Percentage)=score' ",
    ],
  },
  {
    name: 'a score over the maximum of the file',
    text: 'Student,ID,SIS User ID,Section,Quiz (1)\nPoints Possible,,,,20\nA,1,s-1,X,21\nB,2,s-2,X,14\nC,3,s-3,X,9\n',
    hint: ["--map 'Quiz (1)=points' --max-score 20 "],
  },
  {
    name: 'percentages whose column has a maximum in its name',
    text: 'SIS ID,Quiz [Total Pts: 20 Percentage] |1\ns-1,15\n',
    hint: ['one of member, score, points'],
  },
  {
    name: 'percent cells in a column score',
    text: 'SIS ID,score\ns-1,87.50 %\n',
    hint: ["--map 'SIS ID=member' --map score=score"],
  },
  {
    name: 'percent cells',
    text: 'SIS ID;Total %\ns-1;87,50 %\n',
    hint: ["--map 'Total %=score'"],
  },
  {
    name: 'no column that can be the score',
    text: 'SIS ID,Name\ns-1,A\n',
    hint: ['one of member, score, points'],
  },
])('a file gets a hint for $name', async ({ text, hint }) => {
  const { run } = await bench();
  const args = ['grade', 'submit', '--from', '-', '--json'];
  const { findings: [first] = [] } = errorsOf(await run(args, { input: text }));
  const shown = first?.hint ?? '';
  const places = hint.map((part) => shown.indexOf(part));
  expect([places.includes(-1), places.toSorted((a, b) => a - b)], shown).toEqual([false, places]);
  expect(shown).not.toMatch(/--max-score 100|--ignore-column '?(?:max|out of|possible)/i);
});

test.each([
  { list: 'Login,member\nada,m-1\nbo,m-2\n', hint: '--map Login=member ' },
  { list: 'Key,member\nk2,m-2\nk9,m-9\n', hint: '--map Key=member ' },
  { list: 'x,member\ny,m-1\n', hint: "--map 'SIS ID=member' " },
])(
  'the hint names the column whose identifiers are in --members ($hint)',
  async ({ list, hint }) => {
    const { run } = await bench();
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'list.csv'), list);
    const text = 'SIS ID,Login,Key,Score\n1,ada,k1,1\n2,bo,k2,0.5\n';
    const args = ['grade', 'submit', '--from', '-', '--members', 'list.csv', '--json'];
    expect(errorsOf(await run(args, { cwd, input: text })).hint).toContain(hint);
  },
);

interface PastedCase {
  readonly text: string;
  readonly file?: string;
  /** The flags of the hint; its command is run. */
  readonly hint: string;
}

test.each<PastedCase>([
  { text: '-id,score,--yes\nm,1,1\n', hint: '--map=-id=member --ignore-column=--yes' },
  { text: '-id,score,-- yes\nm,1,1\n', hint: "--map=-id=member '--ignore-column=-- yes'" },
  { text: 'SIS ID,score\nm,1\n', file: '-y.csv', hint: "--map 'SIS ID=member'" },
])('$hint of a hint is read as it is printed', async ({ text, file = 'grades.csv', hint }) => {
  const { run } = await bench();
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, file), text);
  const refused = await run(['grade', 'submit', `--from=${file}`, '--json'], { cwd });
  const [, command = ''] = /lectern (.*)$/.exec(errorsOf(refused).hint ?? '') ?? [];
  expect(command).toContain(hint);
  expect((await run([...wordsOf(command), '--dry-run'], { cwd })).exit).toBe(0);
});

test.each([
  ['UTF-16', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le'), 0],
  ['CR line ends', (text: string) => Buffer.from(text.replaceAll('\n', '\r')), 0],
  ['Latin-1', (text: string) => Buffer.from(text, 'latin1'), 3],
] as const)('a file in %s is read, or its encoding is named', async (_, encode, exit) => {
  const { run } = await bench();
  const input = encode('member;points;comment\nm;14,5;Zoë\nn;-;\n');
  const args = [
    'grade',
    'submit',
    '--from',
    '-',
    '--max-score',
    '20',
    '--skip-ungraded',
    '--dry-run',
  ];
  const result = await run(args, { input });
  expect(result.exit, result.stderr).toBe(exit);
  if (exit === 3) expect(result.stderr).toContain('the file is not valid UTF-8');
  else expect(result.stdout).toContain('scores\tall 0.725\n');
});
