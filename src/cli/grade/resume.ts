import { gradeLedger, ledgerPlace } from '../session/ledger.ts';
import type { RecordState, RunRecord, State } from '../../ledger/ledger.ts';
import { gradeChunks, sourceName } from '../input/read.ts';
import { type Context, withOptions } from '../runtime.ts';
import { supersededJson } from '../output/grade-plan.ts';
import { NO_MEMBER } from '../../grades/record-columns.ts';
import { PLANNED, plannedRow, targetJson } from '../output/grade-run.ts';
import { tableOf } from '../output/columns.ts';
import { countText, numberText } from '../output/units.ts';
import type { UsedCredential } from '../session/credential.ts';
import { canPrompt, confirm } from '../ask.ts';
import { wantsJson } from '../output/print.ts';
import { hasNotes, mostOnTerminal, note } from '../output/notes.ts';
import { JsonList, type Result, type Results } from '../output/result.ts';
import { FirstOf, mapped } from '../shared/first-of.ts';
import { findRun, countSelected } from './bulk/find-run.ts';
import { readingOptions } from './bulk/options.ts';
import { writeResume } from './bulk/show-plan.ts';
import type { ReadingOptions } from '../../grades/checked-records.ts';
import { fileDigestOf } from '../../grades/plan.ts';
import { LecternError } from '../../errors.ts';
import { refuseMoved } from '../../grades/run.ts';
import { movedTo } from '../../grades/run-target.ts';
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

export async function runResume(
  context: Context<GradeResumeOptions>,
  id?: string,
): Promise<Results> {
  const { options } = context;
  const run = await findRun(context, id);
  const { shared } = await gradeLedger(context);
  const isMoved = movedTo(run) !== undefined;
  if (shared || !options.again) refuseMoved(run, shared !== undefined);
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
  // Of a run that was moved, it takes the move back alone.
  const again = options.again && !isMoved;
  const resume = { again, includeSuperseded: options.includeSuperseded };
  const part = { states, limit, leftOut, resume };
  if (options.dryRun) return plannedRun(context, run, credential, { ...part, warning });
  const total = await planAndAsk(context, run, credential, part);
  return runAndReport(withOptions(context, { ...pace, ...options }), run, credential, {
    ...part,
    warning,
    probe: true,
    total,
    ...(isMoved && {
      takeBack: async () => (await context.ledger()).setMoved(run.id, undefined),
    }),
  });
}

/** Shows the plan and asks; returns how many grades are to be sent. */
async function planAndAsk(
  context: Context<GradeResumeOptions>,
  run: RunRecord,
  credential: UsedCredential,
  part: RowSelection,
): Promise<number> {
  if (countSelected(run, part) === 0) return 0;
  const { selection, pages } = await chosenOf(context, run, part);
  const plan = await planResume(await gradeLedger(context), run, pages, selection);
  if (canPrompt(context) || hasNotes(context)) await showPlan(context, run, credential, part, plan);
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
  let reading: ReadingOptions;
  try {
    reading = await readingOptions(context, run.options as GradeFileOptions);
  } catch (error) {
    // A list of members that the run was planned with may be gone, or on another machine.
    if (!(error instanceof LecternError)) throw error;
    return `${sourceName(from)} is not compared with the file that run ${run.id} was created from: ${error.message}`;
  }
  const digest = await fileDigestOf(gradeChunks(context, from), reading);
  if (digest === run.options.fileDigest) return undefined;
  return `${sourceName(from)} is not the file that run ${run.id} was created from; the run continues with its stored grades`;
}

/** The rows of a run that would be sent, each with its current state; sends nothing. */
async function* plannedRun(
  context: Context<GradeResumeOptions>,
  run: RunRecord,
  credential: UsedCredential,
  part: RowSelection,
): AsyncGenerator<Result> {
  if (wantsJson(context)) return yield { json: await documentOf(context, run, part) };
  const looked = await chosenOf(context, run, part);
  const plan = await planResume(await gradeLedger(context), run, looked.pages, looked.selection);
  if (hasNotes(context)) await showPlan(context, run, credential, part, plan);
  const { pages } = await chosenOf(context, run, part);
  const most = mostOnTerminal(context, SHOWN_ON_TERMINAL);
  const first = new FirstOf(rowsIn(pages), most);
  yield { show: { pages: first.pages(ROWS_AT_ONCE, (page) => tableOf(PLANNED, page)) } };
  const more = first.total - most;
  yield {
    notes: [more > 0 ? `… and ${numberText(more)} more; --json shows all` : undefined, DRY_RUN],
  };
}

const DRY_RUN = 'dry run: nothing was sent';
const SHOWN_ON_TERMINAL = 20;
const ROWS_AT_ONCE = 500;

async function* rowsIn(pages: AsyncIterable<Chosen<RecordState>>): AsyncGenerator<RecordState> {
  for await (const { chosen } of pages) yield* chosen;
}

async function documentOf(
  context: Context<GradeResumeOptions>,
  run: RunRecord,
  part: RowSelection,
): Promise<JsonList> {
  const { id, digest, target } = run;
  const head = {
    dry_run: true,
    run: id,
    digest,
    method: 'POST',
    url: target.url,
    target: targetJson(target),
    ledger: (await ledgerPlace(context)) ?? null,
    warning: part.warning,
  };
  const [rows, held] = [await chosenOf(context, run, part), await chosenOf(context, run, part)];
  const next = {
    name: 'superseded',
    pages: mapped(held.pages, ({ superseded }) =>
      superseded.map((each) => JSON.stringify(supersededJson(each))),
    ),
  };
  const more = (): object => {
    const { recordedSince, doubtedSince } = held.selection.counts;
    return { recorded_since: recordedSince, doubted_since: doubtedSince };
  };
  const texts = mapped(rows.pages, ({ chosen }) => chosen.map(plannedRow));
  return new JsonList(texts, { member: { head, name: 'rows', next, more } });
}
