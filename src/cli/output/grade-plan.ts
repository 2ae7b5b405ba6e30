import type { GradePlan } from '../json-forms/grade.ts';
import { findingWithCommand } from './command-hints.ts';
import type { Finding } from '../../validator/finding.ts';
import type { PlanSample } from '../../grades/plan.ts';
import type { OtherRun, ResumeOverlap } from '../../grades/other-runs.ts';
import type { SelectionCounts } from '../../grades/selection.ts';
import type { CredentialKind, RunRecord, State } from '../../ledger/ledger.ts';
import { type Cell, type Table, factTable, listTable } from './table.ts';
import { countText } from './units.ts';
import { type GradeBody, fractionOfPoints } from '../../contract/index.ts';

export interface ShownPlan extends Readonly<SelectionCounts> {
  readonly source: string;
  readonly rows: number;
  readonly replaced: number;
  readonly sample: PlanSample;
  readonly digest: string;
  readonly findings: readonly Finding[];
  readonly origin: string;
  readonly course: string | undefined;
  readonly location: string | undefined;
  readonly credential: 'launch_token' | 'api_key';
  /** Whether unchanged rows are left out. */
  readonly skipUnchanged: boolean;
  readonly otherRuns: readonly OtherRun[];
  readonly ignored: readonly string[];
  readonly hasPoints: boolean;
}

/** The digest on a line of its own, since a table would truncate it to the terminal width. */
export function digestLine({ digest }: ShownPlan, isTerminal: boolean): string {
  return `digest${isTerminal ? '  ' : '\t'}${digest}\n`;
}

/** The plan without its digest, one fact per line. Zero counts are omitted. */
export function planTable(plan: ShownPlan): Table {
  const { unchanged, skipUnchanged, sample } = plan;
  const { scores } = sample;
  const facts: [string, string | number | undefined][] = [
    ['attempts', plan.selected],
    ['records', plan.rows],
    [skipUnchanged ? 'skipped, unchanged' : 'unchanged', unchanged || undefined],
    ['in doubt', plan.inDoubt || undefined],
    ['skipped, not higher', plan.notHigher || undefined],
    ['skipped, not higher than a grade in doubt', plan.notHigherInDoubt || undefined],
    ['skipped, replaced by a later record', plan.replaced || undefined],
    ['skipped, beyond the limit', plan.beyondLimit || undefined],
    ['scores', scores && rangeText(scores)],
    ['ignored columns', plan.ignored.length > 0 ? plan.ignored.join(', ') : undefined],
    ['source', plan.source],
    ['service', plan.origin],
    ['course', plan.course],
    ['location', plan.location],
    ['credential', credentialText(plan.credential)],
    ...overlapFacts(plan),
  ];
  return factTable(['plan', ''], facts);
}

function rangeText({ lowest, highest }: NonNullable<PlanSample['scores']>): string {
  return lowest === highest ? `all ${lowest}` : `${lowest} to ${highest}`;
}

/** The first rows of a plan, with the recorded grades that the ledger knows. */
export function sampleTable({ sample: { rows }, hasPoints }: ShownPlan): Table {
  const pointsText = ({ grade }: SampleRow) => `${pointsOf(grade)}/${grade.max_score}`;
  const max = ({ grade }: SampleRow) => grade.max_score;
  return listTable(rows, [
    { name: 'line', numeric: true, drop: 2 },
    { name: 'member', whole: true },
    ...(hasPoints ? [{ name: 'points', whole: true, cell: pointsText }] : []),
    { name: 'score', whole: true, cell: scoreCell },
    ...(hasPoints ? [] : [{ name: 'of', numeric: true, drop: 1, cell: max }]),
    { name: 'comment', cell: ({ grade }) => grade.comment },
  ]);
}

type SampleRow = PlanSample['rows'][number];

function scoreCell({ grade: { score }, before }: SampleRow): Cell {
  if (before === undefined || before === score) return score;
  return { exact: `${before} → ${score}`, tone: score < before ? 'doubt' : undefined };
}

export function resumeTable(
  { id, source, target }: RunRecord,
  { attempts, credential, states, counts, overlap }: ResumePlan,
): Table {
  const inDoubt = counts.in_doubt;
  const facts: [string, string | number | undefined][] = [
    ['run', id],
    ['attempts', attempts],
    ...states.map((state): [string, number | undefined] => [
      state.replace('_', ' '),
      counts[state] || undefined,
    ]),
    ['unchanged', overlap.unchanged || undefined],
    ['in doubt in another run', overlap.inDoubt || undefined],
    ['in doubt, not sent again', states.includes('in_doubt') ? undefined : inDoubt || undefined],
    ['source', source],
    ['service', target.origin],
    ['course', target.context],
    ['location', target.location],
    ['credential', credentialText(credential)],
    ...overlapFacts(overlap),
  ];
  return factTable(['plan', ''], facts);
}

interface ResumePlan {
  readonly attempts: number;
  readonly credential: CredentialKind | 'session';
  readonly states: readonly State[];
  readonly counts: Readonly<Record<State, number>>;
  readonly overlap: ResumeOverlap;
}

function overlapFacts(plan: Pick<ShownPlan, 'otherRuns'>): [string, string][] {
  return overlaps(plan).map(({ run, members }) => [
    `also in run ${run}`,
    countText(members, 'member'),
  ]);
}

function credentialText(kind: CredentialKind | 'session'): string {
  return kind === 'api_key' ? 'tool API key' : 'launch token';
}

/** The plan as `--dry-run --json` prints it; a file with errors has no digest, since it cannot run. */
export function planJson(plan: ShownPlan): GradePlan {
  const { findings } = plan;
  return {
    dry_run: true,
    source: plan.source,
    digest: findings.length > 0 ? null : plan.digest,
    rows: plan.rows,
    attempts: findings.length > 0 ? 0 : plan.selected,
    unchanged: plan.unchanged,
    in_doubt: plan.inDoubt,
    not_higher: plan.notHigher,
    not_higher_in_doubt: plan.notHigherInDoubt,
    replaced: plan.replaced,
    beyond_limit: plan.beyondLimit,
    ignored_columns: plan.ignored,
    target: {
      origin: plan.origin,
      course: plan.course ?? null,
      location: plan.location ?? null,
    },
    credential: plan.credential,
    findings: [...findings.map(findingWithCommand), ...overlaps(plan).map(overlapFinding)],
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

/** A JavaScript number has at most 17 significant digits. */
const MOST_DIGITS = 17;

/** The points that a score was made from: the shortest number that results in exactly this score. */
export function pointsOf({ score, max_score = 1 }: GradeBody): number {
  const points = score * max_score;
  for (let digits = 1; digits < MOST_DIGITS; digits += 1) {
    const rounded = Number(points.toPrecision(digits));
    if (fractionOfPoints(rounded, max_score) === score) return rounded;
  }
  return points;
}
