import { type Comparison, type Difference, GradebookExport } from '../../grades/verify.ts';
import { quoted } from '../../contract/index.ts';
import { InvalidError, UsageError } from '../../errors.ts';
import { ExitError } from '../errors.ts';
import { gradeChunks, sourceName } from '../input/read.ts';
import { gradeFindings } from '../output/group-findings.ts';
import { ignoredText, leftOutText } from '../output/reading-notes.ts';
import { countText, numberText } from '../output/units.ts';
import type { Called, Context } from '../runtime.ts';
import { wantsJson } from '../output/print.ts';
import { moreText, shownLimit, note } from '../output/notes.ts';
import { JsonList, type Result } from '../output/result.ts';
import { FirstOf } from '../shared/first-of.ts';
import { gradeLedger } from '../session/ledger.ts';
import { findRun } from './bulk/find-run.ts';
import { commandLine, readingOptions } from './bulk/options.ts';
import { type GradeFileOptions, VERIFY_FLAGS } from './flags.ts';
import { type DifferenceItem, DIFFERENCES } from '../output/differences.ts';
import { tableOf } from '../output/columns.ts';

const SHOWN_AT_ONCE = 500;
/** The same exit code as `diff`. */
const DIFFERS = 1;

/** Compares the grades of a run with an export of the gradebook; `names` is `[RUN] FILE`. */
export async function* runVerify(
  context: Called<typeof VERIFY_FLAGS>,
  names: readonly string[],
): AsyncGenerator<Result> {
  const file = names.at(-1);
  if (file === undefined || names.length > 2) {
    throw new UsageError('verify takes a run and a file', 'use lectern grade verify [RUN] FILE');
  }
  const run = await findRun(context, names.length === 2 ? names[0] : undefined);
  const words = `grade verify ${names.map(quoted).join(' ')}`;
  const command = commandLine(words, VERIFY_FLAGS, context.options);
  const gradebook = await readExport(context, file, command);
  try {
    yield* compare(context, run.id, gradebook, file);
  } finally {
    gradebook.close();
  }
}

/** Reads an export, to be closed; `command` is the command line, for advice on its columns. */
export async function readExport(
  context: Context<GradeFileOptions>,
  file: string,
  command: string,
): Promise<GradebookExport> {
  const reading = await readingOptions(context, context.options);
  const gradebook = new GradebookExport({ ...reading, command });
  try {
    await gradebook.read(gradeChunks(context, file));
    refuseFindings(context, gradebook, file);
    return gradebook;
  } catch (error) {
    gradebook.close();
    throw error;
  }
}

function refuseFindings(context: Context, { findings }: GradebookExport, file: string): void {
  if (findings.length === 0) return;
  const message = `${sourceName(file)} has ${countText(findings.length, 'error')}; nothing was compared`;
  throw new InvalidError(message, {
    code: 'grades.invalid',
    findings: wantsJson(context) ? findings : gradeFindings(findings),
  });
}

async function* compare(
  context: Called<typeof VERIFY_FLAGS>,
  run: number,
  gradebook: GradebookExport,
  file: string,
): AsyncGenerator<Result> {
  const { used, left } = gradebook.columns;
  await noteColumns(context, run, gradebook, file);
  const counts = {
    agree: 0,
    differs: 0,
    missing: 0,
    only_in_export: 0,
    no_grade: 0,
    unreadable: 0,
  };
  const differences = gradebook.differences(await gradeLedger(context), run, counts);
  const first = new FirstOf(differences, shownLimit(context));
  const head = {
    run,
    source: sourceName(file),
    columns: Object.fromEntries(used),
    ignored_columns: [...left],
  };
  const items = first.pages(SHOWN_AT_ONCE, (page) =>
    page.map((each) => JSON.stringify(itemOf(each))),
  );
  yield {
    json: new JsonList(items, { member: { head, name: 'differences', more: () => counts } }),
    show: {
      pages: first.pages(SHOWN_AT_ONCE, (page) => tableOf(DIFFERENCES, page.map(itemOf), 0)),
    },
  };
  const verdict = verdictText(counts);
  yield first.total === 0
    ? { notes: [verdict] }
    : {
        notes: moreText(context, first.total),
        exit: new ExitError(DIFFERS, 'grade.differs', verdict),
      };
}

export async function noteColumns(
  context: Context,
  run: number,
  { columns: { used, left, notes } }: GradebookExport,
  file: string,
): Promise<void> {
  const columns = [...used].map(([column, name]) =>
    name === column ? name : `${name} as ${column}`,
  );
  await note(context, `comparing run ${run} with ${sourceName(file)}: ${columns.join(', ')}`);
  const ignored = ignoredText([...left]);
  if (ignored !== undefined) await note(context, `ignored columns: ${ignored}`);
  const leftOut = leftOutText(notes);
  if (leftOut !== undefined) await note(context, leftOut);
}

function itemOf(difference: Difference): DifferenceItem {
  const { kind, member, line, state, sent, found, exportLine, text } = difference;
  return {
    member,
    difference: kind,
    line: line ?? null,
    outcome: state ?? null,
    score: sent ?? null,
    export: found ?? null,
    export_line: exportLine ?? null,
    export_text: text ?? null,
  };
}

function verdictText(compared: Comparison): string {
  const { agree, differs, missing, only_in_export: only, no_grade: none, unreadable } = compared;
  const counts = [
    [differs, 'differ'],
    [missing, 'missing from the export'],
    [only, 'only in the export'],
    [none, 'without a grade'],
    [unreadable, 'unreadable'],
  ] as const;
  const bad = counts.filter(([count]) => count > 0);
  const rest = bad.map(([count, words]) => `, ${numberText(count)} ${words}`).join('');
  return `${numberText(agree)} agree${rest}`;
}
