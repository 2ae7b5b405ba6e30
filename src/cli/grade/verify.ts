import { type Comparison, type Difference, GradebookExport } from '../../grades/verify.ts';
import { quoted } from '../../contract/index.ts';
import { InvalidError, UsageError } from '../../errors.ts';
import { ExitError } from '../errors.ts';
import { gradeChunks, sourceName } from '../input/read.ts';
import { gradeFindings } from '../output/group-findings.ts';
import { ignoredText, leftOutText } from '../output/reading-notes.ts';
import { countText, numberText } from '../output/units.ts';
import type { Context } from '../runtime.ts';
import { jsonArrayWriter, printTable } from '../output/print.ts';
import { noteMore, shownLimit, note } from '../output/notes.ts';
import { gradeLedger } from '../session/ledger.ts';
import { findRun } from './bulk/find-run.ts';
import { commandLine, readingOptions } from './bulk/options.ts';
import { type GradeFileOptions, type GradeVerifyOptions, VERIFY_FLAGS } from './flags.ts';
import { stateCell, type Table, listTable } from '../output/table.ts';

const SHOWN_AT_ONCE = 500;
/** The same exit code as `diff`. */
const DIFFERS = 1;

/** Compares the grades of a run with an export of the gradebook; `names` is `[RUN] FILE`. */
export async function runVerify(
  context: Context<GradeVerifyOptions>,
  names: readonly string[],
): Promise<void> {
  const file = names.at(-1);
  if (file === undefined || names.length > 2) {
    throw new UsageError('verify takes a run and a file', 'use lectern grade verify [RUN] FILE');
  }
  const run = await findRun(context, names.length === 2 ? names[0] : undefined);
  const words = `grade verify ${names.map(quoted).join(' ')}`;
  const command = commandLine(words, VERIFY_FLAGS, context.options);
  await withExport(context, file, command, (gradebook) =>
    compare(context, run.id, gradebook, file),
  );
}

/** Reads an export for `use`; `command` is the command line, for advice on its columns. */
export async function withExport<Result>(
  context: Context<GradeFileOptions>,
  file: string,
  command: string,
  use: (gradebook: GradebookExport) => Promise<Result>,
): Promise<Result> {
  const reading = await readingOptions(context, context.options);
  const gradebook = new GradebookExport({ ...reading, command });
  try {
    await gradebook.read(gradeChunks(context, file));
    refuseFindings(context, gradebook, file);
    return await use(gradebook);
  } finally {
    gradebook.close();
  }
}

function refuseFindings({ options }: Context, { findings }: GradebookExport, file: string): void {
  if (findings.length === 0) return;
  const message = `${sourceName(file)} has ${countText(findings.length, 'error')}; nothing was compared`;
  throw new InvalidError(message, {
    code: 'grades.invalid',
    findings: options.json ? findings : gradeFindings(findings),
  });
}

async function compare(
  context: Context<GradeVerifyOptions>,
  run: number,
  gradebook: GradebookExport,
  file: string,
): Promise<void> {
  const ledger = await gradeLedger(context);
  const { json } = context.options;
  const { used, left } = gradebook.columns;
  await noteColumns(context, run, gradebook, file);
  let waiting: Difference[] = [];
  const head = {
    run,
    source: sourceName(file),
    columns: Object.fromEntries(used),
    ignored_columns: [...left],
  };
  const array = jsonArrayWriter(context, { head, name: 'differences' });
  const print = async (): Promise<void> => {
    if (waiting.length === 0) return;
    if (json) await array.add(waiting.map(differenceJson));
    else await printTable(context, differenceTable(waiting));
    waiting = [];
  };
  let differing = 0;
  const limit = shownLimit(context);
  const counts = await gradebook.compare(ledger, run, async (difference) => {
    differing += 1;
    if (differing > limit) return;
    waiting.push(difference);
    if (waiting.length === SHOWN_AT_ONCE) await print();
  });
  await print();
  await noteMore(context, differing);
  const { agree, differs, missing, onlyInExport, noGrade, unreadable } = counts;
  const rest = { no_grade: noGrade, unreadable };
  if (json) await array.end({ agree, differs, missing, only_in_export: onlyInExport, ...rest });
  if (differing === 0) return note(context, verdictText(counts));
  throw new ExitError(DIFFERS, 'grade.differs', verdictText(counts));
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

export const WORDS = {
  differs: 'differs',
  missing: 'missing',
  only_in_export: 'only in the export',
  no_grade: 'no grade',
  unreadable: 'unreadable',
};

export function differenceTable(differences: readonly Difference[]): Table {
  return listTable(differences, [
    { name: 'line', numeric: true, drop: 1, cell: ({ line }) => line },
    { name: 'member', whole: true, cell: ({ member }) => member },
    {
      name: 'difference',
      whole: true,
      cell: ({ kind }) => ({ exact: kind, short: WORDS[kind] }),
    },
    { name: 'run', numeric: true, cell: ({ sent }) => sent },
    { name: 'export', numeric: true, cell: ({ found, text }) => found ?? text },
    { name: 'export line', numeric: true, drop: 2, cell: ({ exportLine }) => exportLine },
    { name: 'outcome', cell: ({ state }) => state && stateCell(state) },
  ]);
}

function differenceJson(difference: Difference): string {
  const { kind, member, line, state, sent, found, exportLine, text } = difference;
  return JSON.stringify({
    member,
    difference: kind,
    line: line ?? null,
    outcome: state ?? null,
    score: sent ?? null,
    export: found ?? null,
    export_line: exportLine ?? null,
    export_text: text ?? null,
  });
}

function verdictText(compared: Comparison): string {
  const { agree, differs, missing, onlyInExport, noGrade, unreadable } = compared;
  const counts = [
    [differs, 'differ'],
    [missing, 'missing from the export'],
    [onlyInExport, 'only in the export'],
    [noGrade, 'without a grade'],
    [unreadable, 'unreadable'],
  ] as const;
  const bad = counts.filter(([count]) => count > 0);
  const rest = bad.map(([count, words]) => `, ${numberText(count)} ${words}`).join('');
  return `${numberText(agree)} agree${rest}`;
}
