import type { GradePlan } from './grade-forms.ts';
import { findingWithCommand } from './command-hints.ts';
import type { Plan } from '../../grades/plan.ts';
import type { PlanSample } from '../../grades/plan-sample.ts';
import { countedList, ignoredText, notesFacts, notesJson } from './reading-notes.ts';
import type { OtherRun } from '../../grades/other-runs.ts';
import type { SelectionCounts, SupersededRecord } from '../../grades/selection.ts';
import type { CredentialKind } from '../../ledger/ledger.ts';
import { type ListColumns, tableOf } from './columns.ts';
import { type Cell, type Table, factTable, stateCell } from './table.ts';
import { countText } from './units.ts';
import { pointsOf } from '../../contract/index.ts';

export interface ShownPlan extends Readonly<Plan> {
  readonly source: string;
  /** The shared ledger, if it is not that of this machine. */
  readonly ledger: string | undefined;
  readonly origin: string;
  readonly course: string | undefined;
  readonly location: string | undefined;
  readonly credential: CredentialKind;
  /** Whether unchanged rows are left out. */
  readonly skipUnchanged: boolean;
  /** Of a plan that takes a run back. */
  readonly undone: UndoneRun | undefined;
}

/** A run that is taken back, and its members without an earlier score. */
export interface UndoneRun {
  readonly run: number;
  readonly withoutEarlier: readonly string[];
}

/** The digest on a line of its own, since a table would truncate it to the terminal width. */
export function digestLine(digest: string, isTerminal: boolean): string {
  return `digest${isTerminal ? '  ' : '\t'}${digest}\n`;
}

/** What a plan would send and change, one fact per line. Zero counts are omitted. */
export function planTable(plan: ShownPlan): Table {
  const { unchanged, skipUnchanged, sample } = plan;
  const facts: Fact[] = [
    ['attempts', plan.selected],
    ['records', plan.rows],
    ...changeFacts(sample, [skipUnchanged ? 'skipped, unchanged' : 'unchanged', unchanged]),
    ...overtakenFacts(plan),
    ['no earlier score', withoutEarlierText(plan)],
    ['in doubt', plan.inDoubt || undefined],
    ['skipped, not higher', plan.notHigher || undefined],
    ['skipped, not higher than a grade in doubt', plan.notHigherInDoubt || undefined],
    ['skipped, replaced by a later record', plan.replaced || undefined],
    ['skipped, beyond the limit', plan.beyondLimit || undefined],
    ['scores', rangeText(sample.scores)],
    ['points', pointsText(plan)],
    ['maximum', maximumText(plan)],
    ['points possible', possibleText(plan)],
    ...notesFacts(plan.notes),
    ['ignored columns', ignoredText(plan.ignored)],
  ];
  return factTable(['plan', ''], facts);
}

/** How many records newer grades hold back. */
export function overtakenFacts(counts: SelectionCounts): Fact[] {
  return [
    ['superseded, held back', counts.superseded || undefined],
    ['skipped, recorded by another run', counts.recordedSince || undefined],
    ['held back, in doubt in another run', counts.doubtedSince || undefined],
  ];
}

const MEMBERS_SHOWN = 30;

function withoutEarlierText({ undone }: ShownPlan): string | undefined {
  const members = undone?.withoutEarlier ?? [];
  return countedList(members.length, members.slice(0, MEMBERS_SHOWN));
}

/** Where the grades of a plan come from and go to. */
export function planTargetTable(plan: ShownPlan): Table {
  return factTable(['target', ''], [...targetFacts(plan), ...overlapFacts(plan)]);
}

/** How many scores are lowered and raised, where the ledger knows earlier ones. */
export function changeFacts({ changes }: PlanSample, [name, unchanged]: [string, number]): Fact[] {
  const { lowered, raised, changed, new: fresh } = changes;
  const isKnown = lowered + raised + changed + changes.unchanged > 0;
  return [
    ['lowered', lowered || undefined],
    ['raised', raised || undefined],
    ['changed, with the same score', changed || undefined],
    [name, unchanged || undefined],
    ['new', (isKnown && fresh) || undefined],
  ];
}

/** The range of the scores as points, if all have one maximum. */
function pointsText({ sample: { scores }, maxScores }: ShownPlan): string | undefined {
  const [only, ...others] = maxScores.values;
  if (scores === undefined || only === undefined || others.length > 0) return undefined;
  const { max_score } = only;
  const lowest = pointsOf({ score: scores.lowest, max_score });
  const highest = pointsOf({ score: scores.highest, max_score });
  return `${rangeText({ lowest, highest })} of ${max_score}`;
}

function maximumText({ maxScores, maxColumn, notes }: ShownPlan): string | undefined {
  if (maxScores.text === '') return undefined;
  const column = maxColumn && `the column ${JSON.stringify(maxColumn)}`;
  return `${maxScores.text}, from ${notes.maximum?.from ?? column ?? '--max-score'}`;
}

/** What becomes of the points possible of the column, as far as the ledger knows them. */
function possibleText({ sample: { possibleBefore }, maxScores }: ShownPlan): string | undefined {
  const after = maxScores.values.slice(0, MOST_MAXIMA).map(({ max_score: value }) => value);
  const isChanged = after.some((value) => value !== possibleBefore);
  return possibleBefore !== undefined && isChanged
    ? `${possibleBefore} → ${after.join(', ')}`
    : undefined;
}

const MOST_MAXIMA = 5;

export type Fact = [name: string, value: string | number | undefined];

/** Where the grades come from and go to. */
export function targetFacts(
  to: Pick<ShownPlan, 'source' | 'ledger' | 'origin' | 'course' | 'location' | 'credential'>,
): Fact[] {
  return [
    ['source', to.source],
    ['ledger', to.ledger],
    ['service', to.origin],
    ['course', to.course],
    ['location', to.location],
    ['credential', to.credential === 'api_key' ? 'tool API key' : 'launch token'],
  ];
}

/** The range of numbers; undefined without one. */
export function rangeText(scores: PlanSample['scores']): string | undefined {
  if (scores === undefined) return undefined;
  const { lowest, highest } = scores;
  return lowest === highest ? `all ${lowest}` : `${lowest} to ${highest}`;
}

/** Some records of a plan, lowered scores first, each beside the recorded one that the ledger knows. */
export function sampleTable({ rows }: PlanSample): Table {
  const hasPoints = rows.some(({ grade }) => grade.max_score !== undefined);
  const columns = {
    line: { numeric: true, drop: 2 },
    member: { whole: true },
    ...(hasPoints && { points: { whole: true, made: pointsCell } }),
    score: { whole: true, made: scoreCell },
    comment: { made: ({ grade }: SampleRow) => grade.comment },
  } satisfies ListColumns;
  return tableOf(columns, rows);
}

type SampleRow = PlanSample['rows'][number];

function pointsCell({ grade, before }: SampleRow): Cell {
  if (grade.max_score === undefined) return undefined;
  const shown = `${pointsOf(grade)}/${grade.max_score}`;
  if (before?.max_score === undefined || before.score === grade.score) return shown;
  const max_score = before.max_score;
  return `${pointsOf({ score: before.score, max_score })}/${max_score} → ${shown}`;
}

function scoreCell({ grade: { score }, before, change }: SampleRow): Cell {
  if (before === undefined || before.score === score) return score;
  return { exact: `${before.score} → ${score}`, tone: change === 'lowered' ? 'doubt' : undefined };
}

export function overlapFacts(plan: Pick<ShownPlan, 'otherRuns'>): [string, string][] {
  return overlaps(plan).map(({ run, members }) => [
    `also in run ${run}`,
    countText(members, 'member'),
  ]);
}

/**
 * The plan as `--dry-run --json` prints it, without its records; a file with errors has no digest,
 * since it cannot run.
 */
export function planJson(plan: ShownPlan): Omit<GradePlan, 'records'> {
  const { findings, faults, sample } = plan;
  const { lowered, raised, changed, new: fresh } = sample.changes;
  return {
    dry_run: true,
    source: plan.source,
    ledger: plan.ledger ?? null,
    digest: faults > 0 ? null : plan.digest,
    rows: plan.rows,
    attempts: faults > 0 ? 0 : plan.selected,
    lowered,
    raised,
    changed,
    new: fresh,
    unchanged: plan.unchanged,
    in_doubt: plan.inDoubt,
    not_higher: plan.notHigher,
    not_higher_in_doubt: plan.notHigherInDoubt,
    replaced: plan.replaced,
    beyond_limit: plan.beyondLimit,
    ignored_columns: plan.ignored,
    max_scores: plan.maxScores.values,
    points_possible: sample.possibleBefore ?? null,
    ...notesJson(plan.notes),
    target: {
      origin: plan.origin,
      course: plan.course ?? null,
      location: plan.location ?? null,
    },
    credential: plan.credential,
    ...(plan.undone && undoneJson(plan, plan.undone)),
    findings: [...findings.map(findingWithCommand), ...overlaps(plan).map(overlapFinding)],
  };
}

/** Grades that were not sent, each beside the newer one of its member. */
export const SUPERSEDED = {
  line: { numeric: true, drop: 2 },
  member: { whole: true },
  superseded: { numeric: true, made: ({ score }: SupersededRecord) => score },
  newer: { numeric: true, cell: ({ score }: SupersededRecord['newer']) => score },
  state: { whole: true, made: ({ newer }: SupersededRecord) => stateCell(newer.state) },
  run: { numeric: true, made: ({ newer }: SupersededRecord) => newer.run },
} satisfies ListColumns;

export function supersededJson({ newer, ...record }: SupersededRecord) {
  return { ...record, newer: { ...newer, run: newer.run ?? null } };
}

function undoneJson(
  { supersededRecords, recordedSince, doubtedSince }: ShownPlan,
  { run, withoutEarlier }: UndoneRun,
) {
  return {
    undoes: run,
    without_earlier: [...withoutEarlier],
    superseded: supersededRecords.map(supersededJson),
    recorded_since: recordedSince,
    doubted_since: doubtedSince,
  };
}

/** Runs that would still send a grade for some of the members. */
function overlaps({ otherRuns }: Pick<ShownPlan, 'otherRuns'>): OtherRun[] {
  return otherRuns.filter(({ members }) => members > 0);
}

function overlapFinding({ run, members: count }: OtherRun) {
  return {
    code: 'run.overlap',
    severity: 'warning',
    path: '',
    line: null,
    column: null,
    message: `run ${run} would still send ${countText(count, 'member')} of these`,
    rule: 'Grade submission: every call publishes to the LMS',
    hint: `see lectern grade report ${run} --not-sent, and continue it with lectern grade resume ${run}`,
    run,
    count,
  };
}
