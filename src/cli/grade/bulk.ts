import { gradeLedger, ledgerPlace } from '../session/ledger.ts';
import { flagWord } from '../../contract/index.ts';
import { toSummary } from '../../ledger/run-sql.ts';
import type { NewRun, RunRecord } from '../../ledger/ledger.ts';
import type { Finding } from '../../validator/finding.ts';
import { gradeFindings } from '../output/group-findings.ts';
import { InvalidError } from '../../errors.ts';
import { gradeChunks, sourceName } from '../input/read.ts';
import { reasonsText } from '../output/reading-notes.ts';
import type { ShownPlan, UndoneRun } from '../output/grade-plan.ts';
import { heldBackText } from '../output/resume-plan.ts';
import { countText } from '../output/units.ts';
import type { Context } from '../runtime.ts';
import { canPrompt, confirm } from '../ask.ts';
import { hasNotes, note, noteWarnings } from '../output/notes.ts';
import { printResults, wantsJson } from '../output/print.ts';
import type { Result } from '../output/result.ts';
import { givenFlags } from '../arguments/flags.ts';
import { commandLine, readingOptions } from './bulk/options.ts';
import { planDocument, type PlanPages, writePlan, writePlanFile } from './bulk/show-plan.ts';
import { StoredRecords } from '../../grades/stored-records.ts';
import type { GlobalOptions } from '../arguments/global-flags.ts';
import {
  GRADE_FILE_FLAGS,
  type GradeSendOptions,
  type GradeSubmitOptions,
  SUBMIT_FLAGS,
} from './flags.ts';
import { makePlan, type Plan, type PlanOptions } from '../../grades/plan.ts';
import { planRun, refuseSame } from '../../grades/plan-run.ts';
import type { UsedCredential } from '../session/credential.ts';
import { courseOf } from '../../grades/run-target.ts';
import { runAndReport, summaryResult } from './bulk/run.ts';
import { bulkTarget, gradeTarget, type GradeTarget } from './target.ts';

type BulkOptions = GlobalOptions & GradeSubmitOptions & { readonly from: string };

/** A run to be planned: its records, and how they are read. */
export interface BulkSource {
  readonly run: NewRun;
  readonly credential: UsedCredential;
  readonly planning: PlanOptions;
  readonly chunks: () => AsyncIterable<Uint8Array>;
  readonly undone?: UndoneRun;
}

type SendContext = Context<GlobalOptions & GradeSendOptions>;

/** Submits a grade file. */
export async function runBulk(context: Context<BulkOptions>): Promise<Result> {
  const { options } = context;
  const planning = await planOptions(context);
  const target = await gradeTarget(context);
  return planAndSend(context, {
    run: newRunOfFlags(options, target),
    credential: target.credential,
    planning,
    chunks: () => gradeChunks(context, options.from),
  });
}

/** Reads all records, shows the plan of the run, asks for confirmation, and sends it. */
export async function planAndSend(context: SendContext, source: BulkSource): Promise<Result> {
  const { options } = context;
  if (options.dryRun) return planOnly(context, source);
  const planned = await planAndAsk(context, source);
  if (!('run' in planned)) return planned;
  if (options.send === false) return plannedResult(context, planned.run);
  // Other workers may have joined before its planner sends.
  const join = (await gradeLedger(context)).shared !== undefined;
  const part = { states: ['not_sent'], join, warning: planned.warning } as const;
  return runAndReport(context, planned.run, source.credential, part);
}

async function planOptions(context: Context<BulkOptions>): Promise<PlanOptions> {
  const { options } = context;
  const reading = await readingOptions(context, options);
  const command = commandLine(
    `grade submit ${flagWord('--from', options.from)}`,
    SUBMIT_FLAGS,
    options,
  );
  return { ...reading, command, ...selectionOptions(options) };
}

/** The options of a plan that do not depend on where its records come from. */
export function selectionOptions({ skipUnchanged, onlyIfHigher, limit }: GradeSendOptions) {
  // All are kept; reading stops early in a file with 100,000 errors.
  return { skipUnchanged, onlyIfHigher, limit, findingsKept: Infinity };
}

function newRunOfFlags(options: BulkOptions, target: GradeTarget): NewRun {
  const { concurrency, rate } = options;
  const { launch, credential, isOfStaff } = target;
  const apiKey = credential.kind === 'api_key' ? credential.name : undefined;
  const reading = givenFlags(GRADE_FILE_FLAGS, options);
  return {
    target: bulkTarget(target),
    credential: credential.kind,
    source: sourceName(options.from),
    options: { launch, apiKey, ...reading, concurrency, rate, ...(isOfStaff && { staff: true }) },
  };
}

async function planOnly(context: SendContext, source: BulkSource): Promise<Result> {
  const { options } = context;
  const { run, planning } = source;
  const ledger = await gradeLedger(context);
  const records = new StoredRecords();
  // The document has the findings, so that the error has none.
  const isDocument = wantsJson(context);
  const isPrinted = isDocument || options.plan !== undefined;
  try {
    const plan = await makePlan(ledger, run, source.chunks(), planning, (rows) => {
      if (isPrinted) records.add(rows);
    });
    if (!options.again) await refuseSame(ledger, plan);
    const shown = await shownPlan(context, source, plan);
    const pages = plan.faults === 0 ? records.byChange() : [];
    if (isDocument) await printResults(context, { json: planDocument(shown, pages) });
    else if (plan.faults === 0) await writePlan(context, context.stdout, shown);
    checkPlan(context, run, plan, isDocument ? [] : plan.findings);
    await writePlanFile(context, records.byChange());
    if (!isDocument) await noteWarnings(context, placedFindings(plan.findings));
    await noteUnsent(context, source, plan);
    return { notes: ['dry run: nothing was sent'] };
  } finally {
    records.close();
  }
}

/**
 * Stores the whole run and asks for confirmation before anything is sent; the result if nothing is
 * to be sent.
 */
async function planAndAsk(
  context: SendContext,
  source: BulkSource,
): Promise<{ run: RunRecord; warning: string | undefined } | Result> {
  const { options } = context;
  const ledger = await gradeLedger(context);
  const confirmPlan = async (plan: Plan, records: PlanPages): Promise<void> => {
    checkPlan(context, source.run, plan, plan.findings);
    await writePlanFile(context, records);
    await noteWarnings(context, placedFindings(plan.findings));
    await noteUnsent(context, source, plan);
    const asks = options.yes !== true && options.send !== false && canPrompt(context);
    // On standard error, since it is not data and is shown before the prompt.
    if (asks || hasNotes(context)) {
      await writePlan(context, context.stderr, await shownPlan(context, source, plan));
    }
    if (plan.selected > 0 && plan.maxScores.isMixed) {
      const flag = '--mixed-max-score';
      const values = `The records have different max_score: ${plan.maxScores.text}. Send them?`;
      await confirm(context, values, { flag, isGiven: options.mixedMaxScore });
    }
    const question = `Submit ${countText(plan.selected, 'grade')}?`;
    if (plan.selected > 0 && options.send !== false) await confirm(context, question);
  };
  const { again } = options;
  const choices = { ...source.planning, again, confirm: confirmPlan };
  const { plan, run: planned } = await planRun(ledger, source.run, source.chunks(), choices);
  if (planned) return { run: planned, warning: heldBack(source, plan) };
  return nothingToSend(context, source, plan);
}

async function nothingToSend(context: Context, source: BulkSource, plan: Plan): Promise<Result> {
  const { shared } = await gradeLedger(context);
  const reasons = reasonsText(plan) || undefined;
  const run = { id: null, digest: plan.digest };
  const warnings = [heldBack(source, plan), reasons];
  const { json } = summaryResult(run, toSummary(0, []), warnings, shared && []);
  return { json, notes: [`nothing to send${reasons === undefined ? '' : `: ${reasons}`}`] };
}

/** The run that waits for workers, here or elsewhere. */
async function plannedResult(context: Context, run: RunRecord): Promise<Result> {
  const { shared } = await gradeLedger(context);
  const verb = shared ? 'work' : 'resume';
  return {
    ...summaryResult(run, run.summary, [], shared && []),
    notes: [`planned run ${run.id}; send it with: lectern grade ${verb} ${run.id}`],
  };
}

/** Throws for a file with findings, and for a plan with a different digest than expected. */
function checkPlan(
  context: SendContext,
  { source }: NewRun,
  plan: Plan,
  findings: readonly Finding[],
): void {
  const { faults, digest } = plan;
  const { expectDigest } = context.options;
  if (faults > 0) {
    const message = `${source} has ${countText(faults, 'error')}; nothing was sent`;
    throw new InvalidError(message, {
      code: 'grades.invalid',
      findings: wantsJson(context) ? findings : gradeFindings(findings),
    });
  }
  if (expectDigest === undefined || expectDigest === digest) return;
  throw new InvalidError(`the plan has a different digest: ${digest}`, {
    code: 'plan.changed',
    hint: 'review the plan with --dry-run, and pass its digest to --expect-digest',
  });
}

/** The findings of a plan in groups, each with its lines in the message. */
function placedFindings(findings: readonly Finding[]): Finding[] {
  return gradeFindings(findings).map((each) =>
    each.line === null ? each : onLine(each, each.line),
  );
}

function onLine(finding: Finding, line: number): Finding {
  return { ...finding, path: '', message: `line ${line}: ${finding.message}` };
}

async function noteUnsent(context: SendContext, source: BulkSource, plan: Plan): Promise<void> {
  // An export that was cut off after its header would look like a course that is done.
  if (plan.rows + plan.notes.notSelected === 0) {
    await note(context, `warning: ${source.run.source} has no records`);
  }
  const held = heldBack(source, plan);
  if (held !== undefined) await note(context, held);
}

/** Why records were held back, besides known higher grades. */
function heldBack({ undone }: BulkSource, plan: Plan): string | undefined {
  const overtaken = undone && heldBackText(`lectern grade undo ${undone.run}`, plan);
  return [overtaken, lowerText(plan)].filter((each) => each !== undefined).join('; ') || undefined;
}

function lowerText({ notHigherInDoubt }: Plan): string | undefined {
  if (notHigherInDoubt === 0) return undefined;
  const records = countText(notHigherInDoubt, 'record');
  return `${records} held back: a grade in doubt of the same member is as high or higher, and may be in the gradebook; list those with: lectern grade log --status in_doubt`;
}

async function shownPlan(
  context: SendContext,
  { run: { target, credential, source }, undone }: BulkSource,
  plan: Plan,
): Promise<ShownPlan> {
  return {
    ...plan,
    undone,
    source,
    ledger: await ledgerPlace(context),
    origin: target.origin,
    course: courseOf(target),
    location: target.location,
    credential,
    skipUnchanged: context.options.skipUnchanged === true,
  };
}
