import { gradeLedger } from '../session/ledger.ts';
import type { RunRecord, State } from '../../ledger/ledger.ts';
import { gradeChunks, sourceName } from '../input/read.ts';
import { type Context, withOptions } from '../runtime.ts';
import { resumeTable } from '../output/grade-plan.ts';
import { NO_MEMBER } from '../output/grade-run.ts';
import { countText } from '../output/units.ts';
import type { UsedCredential } from '../session/credential.ts';
import { canPrompt, confirm, note, printTable } from '../ui.ts';
import { findRun, rowsOf } from './bulk/find-run.ts';
import { readingOptions } from './bulk/options.ts';
import { compareResume, refuseSent, type ResumeOverlap } from '../../grades/other-runs.ts';
import { fileDigestOf } from '../../grades/plan.ts';
import { paginate } from '../../ledger/pages.ts';
import { type RowSelection, runAndReport } from './bulk/run.ts';
import { credentialOfRun } from './run-credential.ts';
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
    const { printPlannedRun } = await import('./bulk/dry-run.ts');
    return printPlannedRun(context, run, { ...part, warning });
  }
  await planAndAsk(context, run, credential, part);
  await runAndReport(withOptions(context, { ...pace, ...options }), run, credential, {
    ...part,
    warning,
    probe: true,
  });
}

const PAGE_RECORDS = 500;

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
    const plan = resumeTable(run, { attempts, credential: credential.kind, states, overlap });
    await printTable(context, plan, context.stderr);
  }
  await confirm(context, `Submit ${countText(attempts, 'grade')}?`);
}

async function overlapOf(
  context: Context,
  run: RunRecord,
  part: RowSelection,
): Promise<ResumeOverlap> {
  const ledger = await gradeLedger(context);
  const { states, limit } = part;
  const pages = paginate(ledger.rows(run.id, { states, limit, sendable: true }), PAGE_RECORDS);
  return compareResume(ledger, run, pages);
}

/** How many grades were refused because the course has no such member. */
async function countUnknownMembers(context: Context, run: RunRecord): Promise<number> {
  const ledger = await gradeLedger(context);
  let sendable = 0;
  const refused = { states: ['refused'], sendable: true } as const;
  for await (const _ of ledger.rows(run.id, refused)) sendable += 1;
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
