import { gradeLedger } from '../session/ledger.ts';
import { countsOf, type RecordState, type RunRecord, type State } from '../../ledger/ledger.ts';
import { gradeChunks, sourceName } from '../input/read.ts';
import { type Context, type Runtime, withOptions } from '../runtime.ts';
import { resumeTable } from '../output/grade-plan.ts';
import { NO_MEMBER, plannedRow, plannedTable } from '../output/grade-run.ts';
import { countText, numberText } from '../output/units.ts';
import type { UsedCredential } from '../session/credential.ts';
import { canPrompt, confirm, jsonArrayWriter, note, printTable } from '../ui.ts';
import { findRun, rowsOf } from './bulk/find-run.ts';
import { readingOptions } from './bulk/options.ts';
import { compareResume, refuseSent, type ResumeOverlap } from '../../grades/other-runs.ts';
import { fileDigestOf } from '../../grades/plan.ts';
import { type RowSelection, runAndReport } from './bulk/run.ts';
import { credentialOfRun } from './target.ts';
import type { GradeFileOptions, GradeResumeOptions, GradePaceOptions } from './flags.ts';

export async function runResume(context: Context<GradeResumeOptions>, id?: string): Promise<void> {
  const { options } = context;
  const run = await findRun(context, id);
  const credential = await credentialOfRun(context, run, 'resume');
  const states: State[] = [
    'not_sent',
    ...(options.retryFailed ? (['failed', 'refused'] as const) : []),
    ...(options.retryInDoubt ? (['in_doubt'] as const) : []),
  ];
  const { concurrency, rate } = run.options as GradePaceOptions;
  const pace = { ...(concurrency && { concurrency }), ...(rate && { rate }) };
  const { limit } = options;
  const leftOut = options.retryFailed ? await countUnknownMembers(context, run) : 0;
  const warnings = [await fileWarning(context, run), leftOutText(leftOut)].filter(
    (each) => each !== undefined,
  );
  for (const each of warnings) await note(context, `warning: ${each}`);
  const warning = warnings.join('; ') || undefined;
  const part = { states, limit, leftOut };
  if (options.dryRun) {
    if (!options.again) refuseSent(await overlapOf(context, run, part));
    return printPlannedRun(context, run, { ...part, warning });
  }
  await planAndAsk(context, run, credential, part);
  await runAndReport(withOptions(context, { ...pace, ...options }), run, credential, {
    ...part,
    warning,
    probe: true,
  });
}

async function planAndAsk(
  context: Context<GradeResumeOptions>,
  run: RunRecord,
  credential: UsedCredential,
  part: RowSelection,
): Promise<void> {
  const { options } = context;
  const attempts = rowsOf(run, part);
  if (attempts === 0) return;
  const overlap = await overlapOf(context, run, part);
  if (!options.again) refuseSent(overlap);
  if (canPrompt(context) || !(options.json || options.quiet)) {
    const { states } = part;
    const counts = countsOf(run.summary);
    const { kind } = credential;
    const plan = resumeTable(run, { attempts, credential: kind, states, counts, overlap });
    await printTable(context, plan, context.stderr);
  }
  await confirm(context, `Submit ${countText(attempts, 'grade')}?`);
}

async function overlapOf(
  context: Context,
  run: RunRecord,
  part: RowSelection,
): Promise<ResumeOverlap> {
  return compareResume(await gradeLedger(context), run, await pagesOf(context, run, part));
}

async function pagesOf(
  context: Context,
  { id }: RunRecord,
  { states, limit }: RowSelection,
): Promise<AsyncIterable<readonly RecordState[]>> {
  return (await gradeLedger(context)).pages(id, { states, limit, sendable: true });
}

/** How many grades were refused because the course has no such member. */
async function countUnknownMembers(context: Context, run: RunRecord): Promise<number> {
  const ledger = await gradeLedger(context);
  let sendable = 0;
  const refused = { states: ['refused'], sendable: true } as const;
  for await (const page of ledger.pages(run.id, refused)) sendable += page.length;
  return run.summary.refused - sendable;
}

function leftOutText(count: number): string | undefined {
  return count === 0 ? undefined : `${countText(count, 'grade')} not sent again: ${NO_MEMBER}`;
}

async function fileWarning(
  context: Context<GradeResumeOptions>,
  run: RunRecord,
): Promise<string | undefined> {
  const { from } = context.options;
  if (from === undefined) return undefined;
  const reading = readingOptions(run.options as GradeFileOptions);
  const pieces = gradeChunks(context, from);
  const digest = await fileDigestOf(await gradeLedger(context), run, pieces, reading);
  if (digest === run.options.fileDigest) return undefined;
  return `${sourceName(from)} is not the file that run ${run.id} was created from; the run continues with its stored grades`;
}

/** Prints the rows of a run that would be sent, each with its current state; sends nothing. */
async function printPlannedRun(
  context: Context,
  run: RunRecord,
  part: RowSelection,
): Promise<void> {
  const { id, digest, target } = run;
  const pages = await pagesOf(context, run, part);
  if (context.options.json) {
    const { url } = target;
    const head = { dry_run: true, run: id, digest, method: 'POST', url, warning: part.warning };
    await printDocument(context, head, pages);
  } else {
    await printRows(context, pages);
    if (context.stdout.broken) return;
  }
  await note(context, 'dry run: nothing was sent');
}

const SHOWN_ON_TERMINAL = 20;

/** The rows as a table: on a terminal the first ones, and the number of further ones. */
async function printRows(
  context: Context,
  pages: AsyncIterable<readonly RecordState[]>,
): Promise<void> {
  const { isTerminal } = context.stdout;
  let seen = 0;
  for await (const rows of pages) {
    const shown = isTerminal ? rows.slice(0, Math.max(0, SHOWN_ON_TERMINAL - seen)) : rows;
    if (shown.length > 0) await printTable(context, plannedTable(shown));
    seen += rows.length;
    if (context.stdout.broken) return;
  }
  if (isTerminal && seen > SHOWN_ON_TERMINAL) {
    await note(context, `… and ${numberText(seen - SHOWN_ON_TERMINAL)} more; --json shows all`);
  }
}

async function printDocument(
  { stdout }: Runtime,
  fields: object,
  pages: AsyncIterable<readonly RecordState[]>,
): Promise<void> {
  const array = jsonArrayWriter(stdout, { fields, name: 'rows' });
  for await (const rows of pages) {
    await array.add(rows.map(plannedRow));
    if (stdout.broken) return;
  }
  await array.end();
}
