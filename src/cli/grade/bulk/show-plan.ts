import type { PlanSample } from '../../../grades/plan.ts';
import { countsOf } from '../../../ledger/ledger.ts';
import type { SupersededRecord } from '../../../grades/selection.ts';
import {
  digestLine,
  planTable,
  resumeTable,
  sampleTable,
  type ShownPlan,
  type ShownResume,
  supersededTable,
} from '../../output/grade-plan.ts';
import { leftOutText } from '../../output/reading-notes.ts';
import type { Table } from '../../output/table.ts';
import { numberText } from '../../output/units.ts';
import type { Context, Output } from '../../runtime.ts';
import { printTable } from '../../ui.ts';

/** Shows the plan of a new run. */
export async function writePlan(context: Context, output: Output, plan: ShownPlan): Promise<void> {
  await printTable(context, planTable(plan), output);
  const leftOut = leftOutText(plan.notes);
  if (leftOut !== undefined) await output.write(`${leftOut}\n`);
  await output.write(digestLine(plan.digest, output.isTerminal));
  await writeSample(context, output, plan.sample, plan);
}

/** Shows what a run that goes on is about to send, on standard error. */
export async function writeResume(context: Context, shown: ShownResume): Promise<void> {
  const { run, attempts, sample, plan } = shown;
  const { stderr } = context;
  await printTable(context, resumeTable(shown, countsOf(run.summary)), stderr);
  await writeSample(context, stderr, sample, {
    selected: attempts,
    hasPoints: run.options.points === true,
  });
  if (plan) await writeSuperseded(context, stderr, plan.overtaken, plan.superseded);
}

function writeSample(
  context: Context,
  output: Output,
  sample: PlanSample,
  { selected, hasPoints }: { readonly selected: number; readonly hasPoints: boolean },
): Promise<void> {
  return writeFirst(context, output, sampleTable(sample, hasPoints), selected);
}

function writeSuperseded(
  context: Context,
  output: Output,
  records: readonly SupersededRecord[],
  count: number,
): Promise<void> {
  return writeFirst(context, output, supersededTable(records), count);
}

/** The first rows of a list with `count` of them. */
async function writeFirst(
  context: Context,
  output: Output,
  table: Table,
  count: number,
): Promise<void> {
  const shown = table.rows.length;
  if (shown === 0) return;
  await output.write('\n');
  await printTable(context, table, output);
  const more = count - shown;
  if (more > 0) await output.write(output.colors.dim(`… and ${numberText(more)} more`) + '\n');
}
