import { MEMBER_MARK } from '../../contract/index.ts';
import type { NewRun, RunRecord } from '../../ledger/ledger.ts';
import type { Finding } from '../../validator/finding.ts';
import { InvalidError } from '../../errors.ts';
import { gradeChunks, sourceName } from '../input/read.ts';
import { digestLine, planJson, planTable, type ShownPlan } from '../output/grade-plan.ts';
import { count } from '../output/grade-run.ts';
import type { Output, Context } from '../runtime.ts';
import { canPrompt, confirm, note, printJson, printTable } from '../ui.ts';
import { type ReadingFlags, readingOptions, type SendFlags } from './bulk/options.ts';
import { makePlan, type Plan, type PlanOptions, type RowSink } from '../../grades/plan.ts';
import { runAndReport } from './bulk/run.ts';
import { bulkTarget, gradeTarget, type GradeTarget } from './target.ts';

export interface BulkOptions extends SendFlags, ReadingFlags {
  readonly from: string;
  readonly skipUnchanged?: boolean;
  readonly onlyIfHigher?: boolean;
  readonly expectDigest?: string;
  readonly dryRun?: boolean;
}

/** Reads a file of grades, shows what a run of it would send, asks, and sends it. */
export async function runBulk(context: Context<BulkOptions>): Promise<void> {
  const { options } = context;
  const planning = planOptions(options);
  const target = await gradeTarget(context);
  const run = newRun(options, target);
  if (options.dryRun) await planOnly(context, run, planning);
  else {
    const planned = await planAndAsk(context, run, planning);
    await runAndReport(context, planned, target.credential, { states: ['not_sent'] });
  }
}

function planOptions(options: BulkOptions): PlanOptions {
  const { skipUnchanged, onlyIfHigher, limit, json } = options;
  const findingsKept = json ? Infinity : FINDINGS_SHOWN;
  return { ...readingOptions(options), skipUnchanged, onlyIfHigher, limit, findingsKept };
}

const FINDINGS_SHOWN = 50;

function newRun(options: BulkOptions, target: GradeTarget): NewRun {
  const { map, maxScore, lastWins, apiKey, concurrency, rate } = options;
  const { launch, credential } = target;
  return {
    target: bulkTarget(target),
    credential: credential.kind,
    source: sourceName(options.from),
    options: { launch, apiKey, map, maxScore, lastWins, concurrency, rate },
  };
}

async function planOnly(
  context: Context<BulkOptions>,
  run: NewRun,
  planning: PlanOptions,
): Promise<void> {
  const { options } = context;
  const plan = await planOf(context, run, planning, async () => {});
  const shown = shownPlan(options, run, plan);
  if (options.json) await printJson(context, planJson(shown));
  else if (plan.faults === 0) await writePlan(context, context.stdout, shown);
  checkPlan(options, plan, options.json ? [] : plan.findings);
  await note(context, 'dry run: nothing was sent');
}

/** The run, stored whole and agreed to, before anything of it is sent. */
async function planAndAsk(
  context: Context<BulkOptions>,
  run: NewRun,
  planning: PlanOptions,
): Promise<RunRecord> {
  const { options } = context;
  const draft = await (await context.ledger()).createRun(run);
  try {
    const plan = await planOf(context, run, planning, (rows) => draft.addRows(rows));
    checkPlan(options, plan, plan.findings);
    const asks = options.yes !== true && canPrompt(context);
    // On standard error: it is no data, and is seen there before the question.
    if (asks || !(options.json || options.quiet)) {
      await writePlan(context, context.stderr, shownPlan(options, run, plan));
    }
    const question = `Submit ${count(plan.selected)} ${plan.selected === 1 ? 'grade' : 'grades'}?`;
    if (plan.selected > 0) await confirm(context, question);
    return await draft.seal(plan.digest, { fileDigest: plan.fileDigest });
  } catch (error) {
    // What cannot be taken away now is swept away when the next run is made.
    await draft.discard().catch(() => {});
    throw error;
  }
}

async function planOf(
  context: Context<BulkOptions>,
  run: NewRun,
  planning: PlanOptions,
  sink: RowSink,
): Promise<Plan> {
  const pieces = gradeChunks(context, context.options.from);
  return makePlan(await context.ledger(), run, pieces, planning, sink);
}

/** Refuses a file with findings, and a plan that is not the one that was looked at. */
function checkPlan(options: BulkOptions, plan: Plan, findings: readonly Finding[]): void {
  const { faults, digest } = plan;
  if (faults > 0) {
    const shown = faults > findings.length && findings.length > 0;
    const words = `${sourceName(options.from)} has ${count(faults)} ${faults === 1 ? 'fault' : 'faults'}; nothing was sent`;
    throw new InvalidError(shown ? `${words}. The first ${findings.length}:` : words, {
      code: 'grades.invalid',
      findings,
    });
  }
  if (options.expectDigest === undefined || options.expectDigest === digest) return;
  throw new InvalidError(`this is another plan than the one that was looked at: ${digest}`, {
    code: 'plan.changed',
    hint: 'look at it again with --dry-run, and give its digest to --expect-digest',
  });
}

async function writePlan(context: Context, output: Output, plan: ShownPlan): Promise<void> {
  await printTable(context, planTable(plan), output);
  await output.write(digestLine(plan, output.isTerminal));
}

function shownPlan(options: BulkOptions, { target, credential, source }: NewRun, plan: Plan) {
  return {
    ...plan,
    source,
    origin: target.origin,
    course: target.context ?? courseOf(target.url),
    location: target.location,
    credential,
    skipUnchanged: options.skipUnchanged === true,
  };
}

/** The course in an address under `/contexts/`. */
function courseOf(url: string): string | undefined {
  const found = /\/contexts\/([^/?#]+)/.exec(url)?.[1];
  return found === MEMBER_MARK ? undefined : found;
}
