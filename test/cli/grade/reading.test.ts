import { expect, test } from 'vitest';
import { errorsOf, linesIn } from '../../support/steps.ts';
import { bench, gradeStep } from './bulk.ts';

const FILES = {
  'grades.csv': 'member,score,group\na,0.5,A\nb,-,A\nc,1,B\nd,N/A,B\n',
  'ungraded.csv': 'member,score\na,-\nb,\nc,EX\n',
  'repeated.csv': 'member,score,assignment,at\na,0.5,ps1,1\na,1,ps2,2\nb,1,ps1,1\n',
  'resent.csv': 'member,score,at\na,0.5,1\na,1,1\n',
  'sis.csv': 'SIS ID,score\n#7,0.5\n8,1\n9,1\n',
  'roster.csv': 'member,SIS ID\nm-7,7\nm-8,8\n',
  'wide.csv': 'Name,member,SIS ID\nAda,m-7,7\nBo,m-8,8\nCy,m-9,9\n',
  'short.csv': 'SIS ID,score\n7,0.5\n9\n',
  'anonymous.csv': 'SIS ID,score\n7,0.5\n,1\n9,-\n',
  'percent.csv': 'member,score\na,87.5 %\n',
  'fractions.csv': 'member,Total Score\na,14\nb,0.5\n',
  'two.csv': 'a,b,c\n1,2,3\n',
  'twice.csv': 'sis,member\n7,m-7\n7,m-8\n',
  'only.csv': 'line,member,outcome\n2,a,failed\n',
  'ids.txt': 'a\nz\n',
  'tabs.csv': 'member\tpoints\tmax_score\na\t17,50\t20\n',
  'french.csv': 'member|score\na|87,5\u00a0%\n',
  'thousands.csv': 'member\tpoints\tmax_score\na\t1,000\t2000\n',
  'maxima.csv': 'member,points,max_score\na,5,10\na,17,20\nb,18,20\n',
  'hashes.csv': 'member,score\n#7,1\n',
  'hash-list.csv': 'id,member\n#7,m-7\n',
  'spoilt-list.csv': 'id,member\n#7,1.23457E+11\n',
  'excel.csv': 'sep=;\nmember;at\na;1\n',
  'pairs.csv': 'sep=;\nmember;SIS ID\nm-7;7\n',
  'open.csv': 'member,name\na,Ada\nb,"Bo\nc,Cy\n',
  'latin.csv': Buffer.from('member\na\nj\xf8rn\n', 'latin1'),
};

const IGNORE = '--ignore-other-columns';
const SIS = "--map 'SIS ID=member'";

/** What the plan counts; `{"-":1}` are records without a grade. */
test.each(
  linesIn(`
  grades.csv --skip-ungraded ${IGNORE} # "attempts":2 "rows":4 "ungraded":{"-":1,"N/A":1}
  grades.csv --skip-ungraded --skip-ungraded --where Group=B --where 'GROUP= B ' # "attempts":1 "not_selected":2 "ungraded":{"N/A":1} "ignored_columns":["group"]
  grades.csv --where group=B --where score=1 --ignore-column group # "attempts":1 "not_selected":3
  grades.csv --only a --only c --only a ${IGNORE} # "attempts":2 "not_selected":2
  grades.csv --only only.csv ${IGNORE} # "attempts":1
  grades.csv --only ids.txt ${IGNORE} # "attempts":1 "absent":["z"]
  grades.csv --only excel.csv ${IGNORE} # "attempts":1
  tabs.csv # "score":0.875
  french.csv --map score=score # "score":0.875
  maxima.csv --last-wins # "attempts":2 "findings":[]
  hashes.csv --members hash-list.csv --strict # "attempts":1 "findings":[]
  sis.csv ${SIS} --members pairs.csv --skip-unknown # "attempts":1 "unknown":2
  repeated.csv --where assignment=ps1 ${IGNORE} # "attempts":2 "not_selected":1
  repeated.csv --last-wins ${IGNORE} # "attempts":2 "replaced":1
  sis.csv ${SIS} --members roster.csv --skip-unknown # "attempts":2 "unknown":1
  sis.csv ${SIS} --members wide.csv --only m-9 # "attempts":1 "not_selected":2
  short.csv ${SIS} --members roster.csv --skip-unknown # "attempts":1 "unknown":1
  anonymous.csv ${SIS} --skip-unknown --skip-ungraded # "attempts":1 "unknown":1 "ungraded":{"-":1}
  anonymous.csv ${SIS} --members roster.csv --skip-unknown --skip-ungraded # "attempts":1 "unknown":1
  ungraded.csv --skip-ungraded # "attempts":0 "rows":3`),
)('a file is read: %s', async (line) => {
  const [from = '', counts = ''] = line.split(' # ');
  const submit = `grade submit --from ${from} --dry-run --json`;
  await gradeStep(submit, { files: FILES, stdout: counts.split(' '), sent: 0 });
});

const MAXIMA = 'SIS ID,Quiz 1 (out of 20)\nPoints Possible,25\na,5\nMax Points,30\n';

test('the plan says where the maximum comes from, and names unknown identifiers', async () => {
  const submit = `grade submit --from - --dry-run ${SIS} --map 'Quiz 1 (out of 20)=points'`;
  const lines = `
    ${submit} # maximum\t25, from the row "Points Possible"
    ${submit} --max-score 25 # maximum\t25, from the row "Points Possible"
    ${submit} --max-score 50 # maximum\t50, from --max-score; the row "Points Possible" has 25
    grade submit --from anonymous.csv --dry-run ${SIS} --members roster.csv --skip-unknown # skipped, unknown identifier\t2: (empty), 9`;
  await gradeStep(lines, { input: MAXIMA, files: FILES });
});

const TOTAL = "--map 'Total Score=score'";

test.each(
  linesIn(`
  grades.csv ${IGNORE} # exit 3: 2 records (3, 5): no grade: "-"; no grade: "N/A"; leave out records without a grade (--skip-ungraded)
  grades.csv --where= # exit 2: is not valid
  grades.csv --where =B # exit 2: is not valid
  grades.csv --where group # exit 2: use --where COLUMN=VALUE
  grades.csv --where group=A --where Group=B # exit 2: cannot have two values
  grades.csv --where team=A ${IGNORE} # exit 3: column team is missing; the columns of the file are member, score, group
  grades.csv --only= # exit 2: --only needs a member or a file
  grades.csv --only nobody.csv ${IGNORE} # exit 2: nobody.csv cannot be read: no such file
  grades.csv --only two.csv ${IGNORE} # exit 3: two.csv: the list of members has no column member
  grades.csv --only open.csv ${IGNORE} # exit 3: open.csv: line 3: the rest of the file cannot be read: a quote is opened and never closed; quote text
  grades.csv --members open.csv ${IGNORE} # exit 3: open.csv: line 3: the rest of the file cannot be read
  grades.csv --only latin.csv ${IGNORE} # exit 3: latin.csv: line 3: the file is not valid UTF-8; save the file as
  thousands.csv # exit 3: points must be a number, not "1,000"
  hashes.csv --members spoilt-list.csv --strict # exit 3: 1.23457E+11
  percent.csv # exit 3: use the fraction: 0.875; or read percentages with --map score=score
  fractions.csv ${TOTAL} # exit 3: 0.85; read points with --map 'Total Score=points' --max-score POINTS (POINTS: 
  fractions.csv ${TOTAL} --max-score 20 # exit 3: 0.85; read points with --map 'Total Score=points';
  anonymous.csv ${SIS} # exit 3: use the user.member of a launch, or leave out such records (--skip-unknown)
  grades.csv --members= # exit 2: it is empty
  grades.csv --members two.csv ${IGNORE} # exit 3: the columns of the list of members are not clear: a, b, c
  grades.csv --members wide.csv ${IGNORE} # exit 3: the columns of the list of members are not clear: Name, member, SIS ID
  grades.csv --members twice.csv ${IGNORE} # exit 3: the identifier "7" has two members: m-7 and m-8
  sis.csv ${SIS} --members roster.csv # exit 3: add it to the list of members, or leave out such records (--skip-unknown)
  repeated.csv ${IGNORE} # exit 3: 2 lines of a differ in assignment: ps1, ps2; read the lines with one value: --where assignment=ps1
  resent.csv ${IGNORE} # exit 3: duplicate member "a", first on line 2; keep one of them, or use the last one (--last-wins)
  sis.csv ${SIS} --strict # exit 3: which probably was 7`),
)('a file is refused: %s', async (line) => {
  const [, from = '', exit, words = ''] = /^(.*) # exit (\d): (.*)$/.exec(line) ?? [];
  const submit = `grade submit --from ${from} --yes`;
  const { stderr } = await gradeStep(submit, { files: FILES, exit: Number(exit), sent: 0 });
  const shown = stderr.replaceAll(/\n */g, '; ').replaceAll(/ \[[\w.]+\]/g, '');
  expect(shown).toContain(words);
  // The last of several records is never offered where it is of something else.
  if (from.startsWith('repeated')) expect(stderr).not.toContain('--last-wins');
});

test('a file without any grade sends nothing, and says why', async () => {
  const stderr = ['nothing to send: 3 records without', 'skipped, no grade\t3: 1 -, 1 empty, 1 EX'];
  const submit = 'grade submit --from ungraded.csv --skip-ungraded --yes';
  await gradeStep(submit, { files: FILES, stderr, sent: 0 });
});

test('--strict makes lines that are left out an error, also of validate grades', async () => {
  const { step } = await bench();
  const input = 'Exam 1,,\nmember,score,x\na,0.5,\n,,\nTotal,0.5,\n"Student, Test",1,\n';
  const left = 'left out 4 lines: 1 above the header; 4 empty; 5 Total; 6 Test Student\n';
  const dryRun = `grade submit --from - ${IGNORE} --dry-run`;
  await step(dryRun, { input, stdout: left });
  const left_out = { code: 'grades.left_out', severity: 'error' };
  const findings = [1, 4, 5, 6].map((line) => Object.assign({ line }, left_out));
  await step(`${dryRun} --strict --json`, { input, exit: 3, json: { findings } });
  await step(`validate grades ${IGNORE}\nvalidate grades ${IGNORE} --strict # exit 3`, { input });
});

test('the lines that are left out are listed, and cut where they are many', async () => {
  const input = `member,score\na,0.5\n${',\n'.repeat(1500)}b,1\n`;
  const stdout = 'left out 1,500 lines: 3-1002, … empty\n';
  await gradeStep('grade submit --from - --dry-run', { input, stdout });
});

test('the hint does not repeat the query of --url, which may be a signature', async () => {
  const { origin, step } = await bench();
  const url = `${origin}/contexts/c/members/{member}/x?sig=canary`;
  const ends = { exit: 3, stderr: '--url URL', lacks: 'canary' };
  await step(`grade submit --from sis.csv --url ${url}`, { files: FILES, ...ends });
});

const CANVAS = 'Student,ID,SIS User ID,Section,';
const Q = `${CANVAS}Q (1),Q (2),Q (3),Q (4)`;
const X = ',x'.repeat(60);

/** A file, of which `|` ends a line, and the parts of its hint in their order. */
const HINTS = `
  several columns that can be the score # ${CANVAS}Quiz 1 (11),Quiz 2 (12)|    Points Possible,,,,20,10|A,1,s-1,X,14,9 # several columns could be the score: Quiz 1 (11), Quiz 2 (12); read one of them: … --map 'Quiz 1 (11)=points' --max-score 20 … ; or: lectern grade submit --from - … --map 'Quiz 2 (12)=points' --max-score 10
  many columns that can be the score # ${Q}|A,1,s-1,X,1,1,1,1 # several columns could be the score: Q (1), Q (2), Q (3), Q (4); read one of them as COLUMN: … --map 'COLUMN=points' --max-score POINTS … (POINTS: the points possible of the column)
  many columns with different maxima, which is none of the command line # ${Q}|Points Possible,,,,10,20,30,40|A,1,s-1,X,1,1,1,1 # --map 'COLUMN=points' --ignore-other-columns
  many columns with a column of maxima each # SID,A,A - Max Points,B,B - Max Points,C,C - Max Points,D,D - Max Points|1,1,10,2,20,3,30,4,40 # several columns could be the score: A, B, C, D; … --map 'COLUMN=points' --map 'COLUMN - Max Points=max_score' --ignore-other-columns
  columns that have numbers, where no name is that of a score # Vorname;ID-Nummer;Aufgabe: Blatt 1 (Punkte);Kurs gesamt (Punkte)|Ada;7;8,50;26|Bo;8;-;9 # columns with numbers: Aufgabe: Blatt 1 (Punkte), Kurs gesamt (Punkte); … read the one with the score as COLUMN: … --map ID-Nummer=member --map 'COLUMN=points' --max-score POINTS --skip-ungraded
  the last of many columns # SIS ID${X},Homework|s-1${X},8 # columns with numbers: Homework;
  a decimal comma # SIS ID,Punkte|s-1,"8,50" # --map Punkte=points --max-score POINTS
  a record that is too short # SIS ID,Name,Grade|s-1,A,0.5|s-2,B # --map Grade=score
  a word among numbers # SIS ID,Mark|s-1,8|s-2,9|s-3,absent # --map Mark=points
  a maximum with a comma # SIS ID;Note /20,0|s-1;14,5 # 'Note /20,0=points' --max-score 20
  a maximum of 0, and of 1 # SIS ID,Quiz (out of 0),Test (out of 1)|s-1,2,1 # --map 'Test (out of 1)=points' --max-score 1 --ignore-column 'Quiz (out of 0)'
  a student twice in an assignment # assignment,duedate,timestamp,student_id,raw_score,late_submission_penalty,score,max_score|ps1,,,s,1,0,1,2|ps1,,,s,2,0,2,2|ps2,,,s,1,0,1,2 # read the file with: … --where assignment=ps2
  a date in a name # SIS ID,Quiz 11/3|s-1,2 # --map 'COLUMN=points' --max-score POINTS
  ${['(out of 20)', '(of 20)', '(20 pts)', '(Max Points: 20)', '[20]', '/20', '- Max Points: 20'].map((form) => `the maximum ${form} # SIS ID,Quiz ${form}|s-1,14.5|s-2,17 # --map 'SIS ID=member' --map 'Quiz ${form}=points' --max-score 20`).join('\n')}
  a maximum in the name of the score, and a column of totals # SIS ID,Essay [20],Total Points|s-1,17.5,25.5 # --map 'SIS ID=member' --map 'Essay [20]=points' --max-score 20 --ignore-column 'Total Points'
  ${['Max Points', 'Maximum Grade', 'points_available', 'Out of', 'denominator'].map((name) => `the column ${name} # SIS ID,Grade,${name}|s-1,14.5,20 # --map '${name}=max_score'`.replaceAll(/'(\w+=\w+)'/g, '$1')).join('\n')}
  fractions that may be points of a maximum # SIS ID,Grade,Out of|s-1,0.5,1 # the file can be read in 2 ways: … --map Grade=score … ; or: … --map Grade=points
  a course total only if there is no other score # ID number,Course total (Percentage),Last downloaded from this course|1,85.00 %,0 # --map 'Course total (Percentage)=score'
  a score over the maximum of the file # ${CANVAS}Quiz (1)|Points Possible,,,,20|A,1,s-1,X,21|B,2,s-2,X,14|C,3,s-3,X,9 # --map 'Quiz (1)=points' --max-score 20
  percentages whose column has a maximum in its name # SIS ID,Quiz [Total Pts: 20 Percentage] |1|s-1,15 # --map 'COLUMN=points' --max-score POINTS
  percent cells in a column score # SIS ID,score|s-1,87.50 % # --map 'SIS ID=member' --map score=score
  percent cells # SIS ID;Total %|s-1;87,50 % # --map 'Total %=score'
  no column that can be the score # SIS ID,Name|s-1,A # one of member, score, points`;

test.each(linesIn(HINTS))('a file gets a hint for %s', async (line) => {
  const [, text = '', said = ''] = line.split(' # ');
  const input = `${text.replaceAll(/(?<! )\|/g, '\n')}\n`;
  const refused = await gradeStep('grade submit --from - --json', { input, exit: 3 });
  const shown = errorsOf(refused).findings?.[0]?.hint ?? '';
  const places = said.split(' … ').map((part) => shown.indexOf(part));
  expect([places.includes(-1), places.toSorted((a, b) => a - b)], shown).toEqual([false, places]);
  expect(shown).not.toMatch(/--max-score 100|--ignore-column '?(?:max|out of|possible)/i);
});

test.each([
  { list: 'Login,member\nada,m-1\nbo,m-2\n', hint: /--map Login=member / },
  { list: 'Key,member\nk2,m-2\nk9,m-9\n', hint: /--map Key=member / },
  { list: 'x,member\ny,m-1\n', hint: /--map 'SIS ID=member' / },
])('the hint names the column whose values are in --members ($hint)', async ({ list, hint }) => {
  await gradeStep('grade submit --from - --members list.csv --json', {
    files: { 'list.csv': list },
    input: 'SIS ID,Login,Key,Score\n1,ada,k1,1\n2,bo,k2,0.5\n',
    exit: 3,
    error: { hint },
  });
});

test.each([
  ['--map=-id=member --ignore-column=--yes', '-id,score,--yes\nm,1,1\n', 'grades.csv'],
  ["--map=-id=member '--ignore-column=-- yes'", '-id,score,-- yes\nm,1,1\n', 'grades.csv'],
  [SIS, 'SIS ID,score\nm,1\n', '-y.csv'],
])('%s of a hint is read as it is printed', async (hint, text, file) => {
  const { step } = await bench();
  const submit = `grade submit --from=${file} --json`;
  const refused = await step(submit, { files: { [file]: text }, exit: 3 });
  const [, command = ''] = /lectern (.*)$/.exec(errorsOf(refused).hint ?? '') ?? [];
  expect(command).toContain(hint);
  await step(`${command} --dry-run`);
});

test.each([
  ['UTF-16', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le'), 0],
  ['CR line ends', (text: string) => Buffer.from(text.replaceAll('\n', '\r')), 0],
  ['Latin-1', (text: string) => Buffer.from(text, 'latin1'), 3],
] as const)('a file in %s is read, or its encoding is named', async (_, encode, exit) => {
  await gradeStep('grade submit --from - --max-score 20 --skip-ungraded --dry-run', {
    input: encode('member;points;comment\nm;14,5;Zoë\nn;-;\n'),
    exit,
    ...(exit === 0 ? { stdout: 'scores\tall 0.725\n' } : { stderr: 'the file is not valid UTF-8' }),
  });
});
