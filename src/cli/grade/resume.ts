import { gradeLedger, ledgerPlace } from '../session/ledger.ts';
import type { RecordState, RunRecord, State } from '../../ledger/ledger.ts';
import { gradeChunks, sourceName } from '../input/read.ts';
import { type Context, withOptions } from '../runtime.ts';
import { supersededJson } from '../output/grade-plan.ts';
import { NO_MEMBER } from '../../grades/record-columns.ts';
import { plannedRow, plannedTable, targetJson } from '../output/grade-run.ts';
import { countText, numberText } from '../output/units.ts';
import type { UsedCredential } from '../session/credential.ts';
import { canPrompt, confirm } from '../ask.ts';
import { jsonArrayWriter, printTable } from '../output/print.ts';
import { note } from '../output/notes.ts';
import { findRun, hereAgain, rowsOf } from './bulk/find-run.ts';
import { readingOptions } from './bulk/options.ts';
import { writeResume } from './bulk/show-plan.ts';
import { fileDigestOf } from '../../grades/plan.ts';
import {
  choosePages,
  planResume,
  resumedSelection,
  type ResumePlan,
} from '../../grades/resume-plan.ts';
import type { Chosen } from '../../grades/selection.ts';
import { type RowSelection, runAndReport } from './bulk/run.ts';
import { credentialOfRun } from './target.ts';
import type { GradeFileOptions, GradeResumeOptions, GradePaceOptions } from './flags.ts';

export async function runResume(context: Context<GradeResumeOptions>, id?: string): Promise<void> {
  const { options } = context;
  const run = await hereAgain(context, await findRun(context, id), options.dryRun);
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
  const { again, includeSuperseded } = options;
  const resume = { again, includeSuperseded };
  const part = { states, limit, leftOut, resume };
  if (options.dryRun) return printPlannedRun(context, run, credential, { ...part, warning });
  const total = await planAndAsk(context, run, credential, part);
  await runAndReport(withOptions(context, { ...pace, ...options }), run, credential, {
    ...part,
    warning,
    probe: true,
    total,
  });
}

/** Shows the plan and asks; returns how many grades are to be sent. */
async function planAndAsk(
  context: Context<GradeResumeOptions>,
  run: RunRecord,
  credential: UsedCredential,
  part: RowSelection,
): Promise<number> {
  const { json, quiet } = context.options;
  if (rowsOf(run, part) === 0) return 0;
  const { selection, pages } = await chosenOf(context, run, part);
  const plan = await planResume(await gradeLedger(context), run, pages, selection);
  if (canPrompt(context) || !(json || quiet)) await showPlan(context, run, credential, part, plan);
  if (plan.selected > 0) await confirm(context, `Submit ${countText(plan.selected, 'grade')}?`);
  return plan.selected;
}

async function showPlan(
  context: Context,
  run: RunRecord,
  { kind: credential }: UsedCredential,
  { states }: RowSelection,
  plan: ResumePlan,
): Promise<void> {
  const { sample, selected: attempts } = plan;
  const ledger = await ledgerPlace(context);
  await writeResume(context, { run, attempts, states, ledger, credential, sample, plan });
}

/** The records that a resume sends, as far as it is known now, and what it is decided by. */
async function chosenOf(context: Context, run: RunRecord, part: RowSelection) {
  const ledger = await gradeLedger(context);
  const { states, limit, resume } = part;
  const selection = resumedSelection(ledger, run, { ...resume, limit });
  return {
    selection,
    pages: choosePages(ledger.pages(run.id, { states, sendable: true }), selection),
  };
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
  const reading = await readingOptions(context, run.options as GradeFileOptions);
  const pieces = gradeChunks(context, from);
  const digest = await fileDigestOf(await gradeLedger(context), run, pieces, reading);
  if (digest === run.options.fileDigest) return undefined;
  return `${sourceName(from)} is not the file that run ${run.id} was created from; the run continues with its stored grades`;
}

/** Prints the rows of a run that would be sent, each with its current state; sends nothing. */
async function printPlannedRun(
  context: Context<GradeResumeOptions>,
  run: RunRecord,
  credential: UsedCredential,
  part: RowSelection,
): Promise<void> {
  if (context.options.json) await printDocument(context, run, part);
  else {
    const looked = await chosenOf(context, run, part);
    const plan = await planResume(await gradeLedger(context), run, looked.pages, looked.selection);
    if (!context.options.quiet) await showPlan(context, run, credential, part, plan);
    await printRows(context, (await chosenOf(context, run, part)).pages);
    if (context.stdout.broken) return;
  }
  await note(context, 'dry run: nothing was sent');
}

const SHOWN_ON_TERMINAL = 20;

/** The rows as a table: on a terminal the first ones, and the number of further ones. */
async function printRows(
  context: Context,
  pages: AsyncIterable<Chosen<RecordState>>,
): Promise<void> {
  const { isTerminal } = context.stdout;
  let seen = 0;
  for await (const { chosen: rows } of pages) {
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
  context: Context<GradeResumeOptions>,
  run: RunRecord,
  part: RowSelection,
): Promise<void> {
  const { stdout } = context;
  const { id, digest, target } = run;
  const ledger = (await ledgerPlace(context)) ?? null;
  const head = {
    dry_run: true,
    run: id,
    digest,
    method: 'POST',
    url: target.url,
    target: targetJson(target),
    ledger,
    warning: part.warning,
  };
  const array = jsonArrayWriter(context, { head, name: 'rows' });
  for await (const { chosen } of (await chosenOf(context, run, part)).pages) {
    await array.add(chosen.map(plannedRow));
    if (stdout.broken) return;
  }
  await array.next('superseded');
  const { selection, pages } = await chosenOf(context, run, part);
  for await (const { superseded } of pages) {
    await array.add(superseded.map((each) => JSON.stringify(supersededJson(each))));
    if (stdout.broken) return;
  }
  const { recordedSince, doubtedSince } = selection.counts;
  await array.end({ recorded_since: recordedSince, doubted_since: doubtedSince });
}
