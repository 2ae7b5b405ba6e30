import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { EXPORTS, flagsOfExport } from '../../../src/grades/exports.ts';
import { errorsOf, jsonOf } from '../../support/steps.ts';
import { bench, bodyOf, memberOf } from './bulk.ts';

const FOLDER = fileURLToPath(new URL('../../support/exports/', import.meta.url));

const flagsFor = (name: string): string =>
  EXPORTS.filter((one) => one.name === name)
    .map(flagsOfExport)
    .join(' ');

interface ExportCase {
  readonly file: string;
  /** The name it is recognised by, whose flags read it. */
  readonly name?: string;
  /** The flags that read it, if they are others. */
  readonly flags?: string;
  /** What the plan says beside the records. */
  readonly plan: Readonly<Record<string, unknown>>;
  /** What is sent: member, score, points possible. */
  readonly sent: readonly string[];
  /** A part of the plan's text. */
  readonly shown?: string;
  /** The codes of warnings. */
  readonly warnings?: readonly string[];
}

const empty = { ungraded: { empty: 1 } };
const TWO = ['1001 0.85 20', '1003 0.725 20'];
const maximum = (points: number, from: string) => ({ maximum: { points, from } });

const ROWS: readonly ExportCase[] = [
  {
    file: 'canvas.csv',
    name: 'Canvas gradebook',
    plan: { ...maximum(20, 'the row "Points Possible"'), ungraded: { EX: 1, empty: 1 } },
    shown: 'left out 3 lines: 2 Manual Posting; 3 Points Possible; 8 Test Student\n',
    sent: ['s-1001 0.725 20', 's-1003 1 20'],
  },
  {
    file: 'canvas-names.csv',
    name: 'Canvas gradebook',
    plan: { ungraded: { 'N/A': 1 } },
    shown: 'left out 3 lines: 2 Manual Posting; 3 Points Possible; 6 Test Student\n',
    sent: ['s-1001 0.725 20'],
  },
  {
    file: 'moodle-gradebook.csv',
    name: 'Moodle gradebook',
    plan: { ungraded: { '-': 1 } },
    sent: ['1001 0.85', '1003 0.925'],
  },
  {
    file: 'moodle-total.csv',
    name: 'Moodle gradebook',
    flags:
      "--map 'ID number=member' --map 'Course total (Percentage)=score' --skip-ungraded --ignore-other-columns",
    plan: { ungraded: { '-': 1 } },
    sent: ['1001 0.85', '1003 0.925'],
  },
  { file: 'moodle-worksheet.csv', name: 'Moodle grading worksheet', plan: empty, sent: TWO },
  {
    file: 'moodle-quiz.csv',
    name: 'Moodle quiz report',
    plan: { ...maximum(10, 'the column "Grade/10.00"'), ungraded: { '-': 1 } },
    shown: 'left out 1 line: 5 Overall average\n',
    sent: ['1001 0.85 10', '1003 0.725 10'],
  },
  {
    file: 'blackboard.xls',
    name: 'Blackboard grade center',
    plan: {
      ...maximum(20, 'the column "Quiz |Total Pts: 20 |1234"'),
      ungraded: { 'Needs Grading': 1, empty: 1 },
    },
    sent: ['s-1001 0.725 20', 's-1003 1 20'],
  },
  {
    file: 'brightspace.csv',
    name: 'Brightspace grades',
    plan: {
      ...maximum(10, 'the column "Quiz 1 Points Grade <Numeric MaxPoints:10 Weight:100>"'),
      ...empty,
    },
    sent: ['#9001 0.85 10', '#9003 1 10'],
    warnings: ['grades.member_spoilt', 'grades.member_spoilt'],
  },
  { file: 'gradescope.csv', name: 'Gradescope scores', plan: empty, sent: TWO },
  { file: 'gradescope-course.csv', name: 'Gradescope gradebook', plan: empty, sent: TWO },
  {
    file: 'nbgrader.csv',
    name: 'nbgrader grades',
    plan: { not_selected: 3, rows: 3 },
    sent: ['s1 0.75 10', 's2 0.8 10', 's3 0 10'],
  },
  {
    file: 'github-classroom.csv',
    name: 'GitHub Classroom grades',
    plan: empty,
    sent: ['1001 0.9 10', '1002 0.7 10'],
  },
  {
    file: 'google-classroom.csv',
    name: 'Google Classroom grades',
    plan: { ...maximum(20, 'the row "Points"'), ...empty },
    shown: 'left out 3 lines: 2 Date; 3 Points; 4 Class Average\n',
    sent: ['ines@example.org 1 20', 'mira@example.org 0.725 20'],
  },
  {
    file: 'edx.csv',
    name: 'Open edX grade report',
    plan: { ungraded: { 'Not Attempted': 1 } },
    sent: ['41 0.85', '43 0.725'],
  },
  {
    file: 'edx-problems.csv',
    name: 'Open edX problem report',
    plan: { ungraded: { 'Not Attempted': 1 } },
    sent: ['41 0.85 20', '43 0.725 20'],
  },
  {
    file: 'spreadsheet.csv',
    flags: "--map 'Student ID=member' --map Max=max_score --skip-ungraded --ignore-other-columns",
    plan: { ...empty, ignored_columns: ['Name', 'Percent'] },
    shown: 'left out 6 lines: 1-3 above the header; 8 empty; 9 Class average; 10 Total\n',
    sent: ['1001 0.9 20', '1002 0.725 20'],
  },
  {
    file: 'spreadsheet.csv',
    flags:
      "--map 'Student ID=member' --map Percent=score --ignore-column Points --skip-ungraded --ignore-other-columns",
    plan: empty,
    sent: ['1001 0.9', '1002 0.725'],
  },
];

const CASES = ROWS.map(({ name, flags = flagsFor(name ?? ''), plan, ...more }) => ({
  ...more,
  flags,
  plan: { ...plan, ...(name !== undefined && { recognised: name }) },
}));

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

describe.each(CASES)('the export $file', ({ file, flags, plan, shown, sent, warnings = [] }) => {
  test(`gets a command that sends it, is read with ${flags}, and agrees with its run`, async () => {
    const work = await benchWith(file);
    const submit = `grade submit --from ${file} ${flags}`;
    const json = { ...plan, attempts: sent.length };
    const dry = await work.step(`${submit} --dry-run --json`, { ...work.given, json });
    expect(jsonOf(dry).findings.map(({ code }: { code: string }) => code)).toEqual(warnings);
    await work.step(`${submit} --dry-run`, { stdout: shown ?? 'attempts' });
    const alone = await work.step(`grade submit --from ${file} --json`, { exit: 3 });
    const [, command = ''] = /lectern (.*?)(?:; or: .*)?$/.exec(errorsOf(alone).hint ?? '') ?? [];
    expect(command).toContain(`--from ${file} `);
    const isOffered = !flags.includes('Percent=score');
    await work.step(`${isOffered ? command : submit} --yes`);
    expect(work.sent()).toEqual(sent);
    const agreed = { agree: sent.length, differences: [], unreadable: 0 };
    await work.step(`grade verify ${file} ${flags} --json`, { json: agreed });
  });
});

test('every export that is recognised has a file', () => {
  const files = readdirSync(FOLDER).filter((name) => name !== 'README.md');
  expect(files.toSorted()).toEqual([...new Set(CASES.map(({ file }) => file))].toSorted());
  const names = ROWS.map(({ name }) => name);
  expect(EXPORTS.filter(({ name }) => !names.includes(name))).toEqual([]);
});

test('a resume reads an export with the flags of its run', async () => {
  const { step, given, sent } = await benchWith('nbgrader.csv');
  const flags = `${flagsFor('nbgrader grades')} --only s1 --only s2`;
  await step(`grade submit --from nbgrader.csv ${flags} --no-send --json --yes`, given);
  await step('grade resume --from nbgrader.csv --yes --json', { warning: undefined });
  expect(sent()).toEqual(['s1 0.75 10', 's2 0.8 10']);
});
