import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { EXPORTS, flagsOfExport } from '../../../src/grades/exports.ts';
import { errorsOf, jsonOf, linesIn } from '../../support/steps.ts';
import { bench, bodyOf, memberOf } from './bulk.ts';

const FOLDER = fileURLToPath(new URL('../../support/exports/', import.meta.url));

const flagsFor = (name: string): string =>
  EXPORTS.filter((one) => one.name === name)
    .map(flagsOfExport)
    .join(' ');

/**
 * A file; the name it is recognised by, whose flags read it, or other flags; what the plan counts as without
 * a grade, and where its maximum comes from; what is sent: member, score, points possible; the lines left out.
 */
const CASES = linesIn(`
  canvas.csv # Canvas gradebook # {"EX":1,"empty":1} # 20, the row "Points Possible" # s-1001 0.725 20; s-1003 1 20 # left out 3 lines: 2 Manual Posting; 3 Points Possible; 8 Test Student
  canvas-names.csv # Canvas gradebook # {"N/A":1} # - # s-1001 0.725 20 # left out 3 lines: 2 Manual Posting; 3 Points Possible; 6 Test Student
  moodle-gradebook.csv # Moodle gradebook # {"-":1} # - # 1001 0.85; 1003 0.925
  moodle-total.csv # Moodle gradebook --map 'ID number=member' --map 'Course total (Percentage)=score' --skip-ungraded --ignore-other-columns # {"-":1} # - # 1001 0.85; 1003 0.925
  moodle-worksheet.csv # Moodle grading worksheet # {"empty":1} # - # 1001 0.85 20; 1003 0.725 20
  moodle-quiz.csv # Moodle quiz report # {"-":1} # 10, the column "Grade/10.00" # 1001 0.85 10; 1003 0.725 10 # left out 1 line: 5 Overall average
  blackboard.xls # Blackboard grade center # {"Needs Grading":1,"empty":1} # 20, the column "Quiz |Total Pts: 20 |1234" # s-1001 0.725 20; s-1003 1 20
  brightspace.csv # Brightspace grades # {"empty":1} # 10, the column "Quiz 1 Points Grade <Numeric MaxPoints:10 Weight:100>" # #9001 0.85 10; #9003 1 10
  brightspace-final.csv # Brightspace grades --map OrgDefinedId=member --map 'Calculated Final Grade Numerator=points' --map 'Calculated Final Grade Denominator=max_score' --skip-ungraded --ignore-other-columns # {"empty":1} # - # #9001 0.85 10; #9003 1 10
  gradescope.csv # Gradescope scores # {"empty":1} # - # 1001 0.85 20; 1003 0.725 20
  gradescope-course.csv # Gradescope gradebook # {"empty":1} # - # 1001 0.85 20; 1003 0.725 20
  nbgrader.csv # nbgrader grades # - # - # s1 0.75 10; s2 0.8 10; s3 0 10
  github-classroom.csv # GitHub Classroom grades # {"empty":1} # - # 1001 0.9 10; 1002 0.7 10
  google-classroom.csv # Google Classroom grades # {"empty":1} # 20, the row "Points" # ines@example.org 1 20; mira@example.org 0.725 20 # left out 3 lines: 2 Date; 3 Points; 4 Class Average
  edx.csv # Open edX grade report # {"Not Attempted":1} # - # 41 0.85; 43 0.725
  edx-problems.csv # Open edX problem report # {"Not Attempted":1} # - # 41 0.85 20; 43 0.725 20
  spreadsheet.csv # --map 'Student ID=member' --map Max=max_score --skip-ungraded --ignore-other-columns # {"empty":1} # - # 1001 0.9 20; 1002 0.725 20 # left out 6 lines: 1-3 above the header; 8 empty; 9 Class average; 10 Total
  spreadsheet.csv # --map 'Student ID=member' --map Percent=score --ignore-column Points --skip-ungraded --ignore-other-columns # {"empty":1} # - # 1001 0.9; 1002 0.725`).map(
  (line) => {
    const [file = '', by = '', ungraded = '', from = '', sent = '', shown = ''] = line.split(' # ');
    const [, name = '', own = ''] = /^(.*?) ?(--.*)?$/.exec(by) ?? [];
    const [points, ...place] = from.split(', ');
    const maximum =
      from === '-' ? {} : { maximum: { points: Number(points), from: place.join(', ') } };
    const recognised = name === '' ? {} : { recognised: name };
    const without = ungraded === '-' ? {} : { ungraded: JSON.parse(ungraded) as object };
    const plan = { ...without, ...maximum, ...recognised };
    return { file, name, flags: own || flagsFor(name), plan, sent: sent.split('; '), shown };
  },
);

/** A bench, and a copy of an export in the folder of its command lines. */
async function benchWith(file: string) {
  const { step, requests } = await bench();
  const sent = (): string[] =>
    requests
      .map((request) => {
        const { score, max_score: max = '' } = bodyOf(request);
        return `${memberOf(request)} ${score} ${max}`.trim();
      })
      .toSorted();
  return { step, sent, given: { files: { [file]: readFileSync(join(FOLDER, file)) } } };
}

test.each(CASES)(
  'the export $file gets a command that sends it, is read with $flags, and agrees with its run',
  async (each) => {
    const { file, flags, plan, shown, sent } = each;
    const work = await benchWith(file);
    const submit = `grade submit --from ${file} ${flags}`;
    const json = { ...plan, attempts: sent.length };
    const dry = await work.step(`${submit} --dry-run --json`, { ...work.given, json });
    const spoilt = sent.filter((one) => one.startsWith('#')).map(() => 'grades.member_spoilt');
    expect(jsonOf(dry).findings.map(({ code }: { code: string }) => code)).toEqual(spoilt);
    await work.step(`${submit} --dry-run`, { stdout: shown === '' ? 'attempts' : `${shown}\n` });
    const alone = await work.step(`grade submit --from ${file} --json`, { exit: 3 });
    const [, command = ''] = /lectern (.*?)(?:; or: .*)?$/.exec(errorsOf(alone).hint ?? '') ?? [];
    expect(command).toContain(`--from ${file} `);
    const isOffered = !flags.includes('Percent=score');
    await work.step(`${isOffered ? command : submit} --yes`);
    expect(work.sent()).toEqual(sent);
    const agreed = { agree: sent.length, differences: [], unreadable: 0 };
    await work.step(`grade verify ${file} ${flags} --json`, { json: agreed });
  },
);

test('every export that is recognised has a file', () => {
  const files = readdirSync(FOLDER).filter((name) => name !== 'README.md');
  expect(files.toSorted()).toEqual([...new Set(CASES.map(({ file }) => file))].toSorted());
  const names = CASES.map(({ name }) => name);
  expect(EXPORTS.filter(({ name }) => !names.includes(name))).toEqual([]);
});

test('a resume reads an export with the flags of its run', async () => {
  const { step, given, sent } = await benchWith('nbgrader.csv');
  const flags = `${flagsFor('nbgrader grades')} --only s1 --only s2`;
  await step(`grade submit --from nbgrader.csv ${flags} --no-send --json --yes`, given);
  await step('grade resume --from nbgrader.csv --yes --json', { warning: undefined });
  expect(sent()).toEqual(['s1 0.75 10', 's2 0.8 10']);
});
