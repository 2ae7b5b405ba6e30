import { type GradeBody, pointsOf } from '../../../contract/index.ts';
import type { StoredRecord } from '../../../grades/stored-records.ts';
import { countsOf } from '../../../ledger/ledger.ts';
import {
  digestLine,
  planJson,
  planTable,
  planTargetTable,
  sampleTable,
  type ShownPlan,
  SUPERSEDED,
} from '../../output/grade-plan.ts';
import { resumeTable, resumeTargetTable, type ShownResume } from '../../output/resume-plan.ts';
import { leftOutText } from '../../output/reading-notes.ts';
import { type ListColumns, tableOf } from '../../output/columns.ts';
import type { Table } from '../../output/table.ts';
import { numberText } from '../../output/units.ts';
import type { Context, Output } from '../../runtime.ts';
import { mapped } from '../../shared/first-of.ts';
import { printTo } from '../../shared/write-output.ts';
import { csvFile, printTable } from '../../output/print.ts';
import { JsonList } from '../../output/result.ts';
import type { GradeSubmitOptions } from '../flags.ts';

/** Shows the plan of a new run: what it changes first, so that it is on the first screen. */
export async function writePlan(context: Context, output: Output, plan: ShownPlan): Promise<void> {
  await printTable(context, planTable(plan), output);
  const leftOut = leftOutText(plan.notes);
  if (leftOut !== undefined) await output.write(`${leftOut}\n`);
  await writeList(context, output, sampleTable(plan.sample), plan.selected);
  const superseded = plan.supersededRecords.slice(0, SUPERSEDED_SHOWN);
  await writeList(context, output, tableOf(SUPERSEDED, superseded), plan.superseded);
  await printTable(context, planTargetTable(plan), output);
  await output.write(digestLine(plan.digest, output.isTerminal));
}

const SUPERSEDED_SHOWN = 5;

/** All records of a plan, those that lower a score first. */
export type PlanPages = AsyncIterable<readonly StoredRecord[]> | Iterable<readonly StoredRecord[]>;

/** A plan with all its records as one document. */
export function planDocument(plan: ShownPlan, pages: PlanPages): JsonList {
  const texts = mapped(pages, (page) => page.map((each) => JSON.stringify(shownRecord(each))));
  return new JsonList(texts, { member: { head: planJson(plan), name: 'records' } });
}

/** Writes all records of a plan to the file of `--plan`. */
export async function writePlanFile(
  context: Context<GradeSubmitOptions>,
  pages: PlanPages,
): Promise<void> {
  if (context.options.plan === undefined) return;
  await printTo(context, context.options.plan, async ({ stdout }) => {
    const file = await csvFile(stdout, tableOf(PLAN, []));
    for await (const page of pages) {
      await file.add(tableOf(PLAN, page.map(shownRecord)));
      if (stdout.broken) return;
    }
  });
}

/** Without points possible, points are null; so is a score before that the ledger does not have. */
function shownRecord({ line, member, body, before, change }: StoredRecord) {
  const grade = JSON.parse(body) as GradeBody;
  const points = grade.max_score === undefined ? null : pointsOf(grade);
  return { line, member, score: grade.score, points, before: before ?? null, change };
}

const PLAN = {
  line: {},
  member: {},
  score: {},
  points: {},
  before: {},
  change: {},
} satisfies ListColumns;

/** Shows the records that a resumed run is about to send, on standard error. */
export async function writeResume(context: Context, shown: ShownResume): Promise<void> {
  const { run, attempts, sample, plan } = shown;
  const { stderr } = context;
  await printTable(context, resumeTable(shown, countsOf(run.summary)), stderr);
  await writeList(context, stderr, sampleTable(sample), attempts);
  if (plan)
    await writeList(context, stderr, tableOf(SUPERSEDED, plan.supersededRecords), plan.superseded);
  await printTable(context, resumeTargetTable(shown), stderr);
}

/** The first rows of a list with `count` of them, between empty lines. */
async function writeList(
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
  await output.write('\n');
}
