import { MEMBER_MARK } from '../../contract/index.ts';
import type { NewRun, RunRecord } from '../../ledger/ledger.ts';
import type { Finding } from '../../validator/finding.ts';
import { InvalidError } from '../../errors.ts';
import { gradeChunks, sourceName } from '../input/read.ts';
import { digestLine, planJson, planTable, type ShownPlan } from '../output/grade-plan.ts';
import { countText } from '../output/units.ts';
import type { Output, Context } from '../runtime.ts';
import { canPrompt, confirm, note, printJson, printTable } from '../ui.ts';
import { type ReadingFlags, readingOptions, type SendFlags } from './bulk/options.ts';
import { makePlan, type Plan, type PlanOptions } from '../../grades/plan.ts';
import { planRun } from '../../grades/plan-run.ts';
import { runAndReport } from './bulk/run.ts';
import { bulkTarget, gradeTarget, type GradeTarget } from './target.ts';

export interface BulkOptions extends SendFlags, ReadingFlags {
  readonly from: string;
  readonly skipUnchanged?: boolean;
  readonly onlyIfHigher?: boolean;
  readonly expectDigest?: string;
  readonly dryRun?: boolean;
}

/** Reads a grade file, shows the plan of the run, asks for confirmation, and sends it. */
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
  const pieces = gradeChunks(context, options.from);
  const plan = await makePlan(await context.ledger(), run, pieces, planning, async () => {});
  const shown = shownPlan(options, run, plan);
  if (options.json) await printJson(context, planJson(shown));
  else if (plan.faults === 0) await writePlan(context, context.stdout, shown);
  checkPlan(options, plan, options.json ? [] : plan.findings);
  await note(context, 'dry run: nothing was sent');
}

/** Stores the whole run and asks for confirmation before anything is sent. */
async function planAndAsk(
  context: Context<BulkOptions>,
  run: NewRun,
  planning: PlanOptions,
): Promise<RunRecord> {
  const { options } = context;
  const ledger = await context.ledger();
  const agree = async (plan: Plan): Promise<void> => {
    checkPlan(options, plan, plan.findings);
    const asks = options.yes !== true && canPrompt(context);
    // On standard error, since it is not data and is shown before the prompt.
    if (asks || !(options.json || options.quiet)) {
      await writePlan(context, context.stderr, shownPlan(options, run, plan));
    }
    const question = `Submit ${countText(plan.selected, 'grade')}?`;
    if (plan.selected > 0) await confirm(context, question);
  };
  const pieces = gradeChunks(context, options.from);
  const planned = await planRun(ledger, run, pieces, { ...planning, agree });
  return planned.run;
}

/** Throws for a file with findings, and for a plan with a different digest than expected. */
function checkPlan(options: BulkOptions, plan: Plan, findings: readonly Finding[]): void {
  const { faults, digest } = plan;
  if (faults > 0) {
    const shown = faults > findings.length && findings.length > 0;
    const words = `${sourceName(options.from)} has ${countText(faults, 'error')}; nothing was sent`;
    throw new InvalidError(shown ? `${words}. The first ${findings.length}:` : words, {
      code: 'grades.invalid',
      findings,
    });
  }
  if (options.expectDigest === undefined || options.expectDigest === digest) return;
  throw new InvalidError(`the plan has a different digest: ${digest}`, {
    code: 'plan.changed',
    hint: 'review the plan with --dry-run, and pass its digest to --expect-digest',
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
