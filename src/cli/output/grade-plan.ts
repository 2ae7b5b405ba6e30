import type { GradePlan } from '../json-forms/grade.ts';
import { findingWithCommand } from './command-hints.ts';
import type { Finding } from '../../validator/finding.ts';
import { courseOf } from '../../grades/run-target.ts';
import type { PlanSample } from '../../grades/plan.ts';
import type { ReadingNotes } from '../../grades/reading-notes.ts';
import { notesFacts, notesJson } from './reading-notes.ts';
import type { OtherRun } from '../../grades/other-runs.ts';
import type { ResumePlan } from '../../grades/resume-plan.ts';
import type { SelectionCounts, SupersededRecord } from '../../grades/selection.ts';
import type { CredentialKind, RunRecord, State } from '../../ledger/ledger.ts';
import { type Cell, type Table, factTable, listTable, stateCell } from './table.ts';
import { countText } from './units.ts';
import { pointsOf } from '../../contract/index.ts';

export interface ShownPlan extends Readonly<SelectionCounts> {
  readonly source: string;
  /** The shared ledger, if it is not that of this machine. */
  readonly ledger: string | undefined;
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
  readonly notes: ReadingNotes;
  readonly hasPoints: boolean;
}

/** The digest on a line of its own, since a table would truncate it to the terminal width. */
export function digestLine(digest: string, isTerminal: boolean): string {
  return `digest${isTerminal ? '  ' : '\t'}${digest}\n`;
}

/** The plan without its digest, one fact per line. Zero counts are omitted. */
export function planTable(plan: ShownPlan): Table {
  const { unchanged, skipUnchanged, sample } = plan;
  const { scores } = sample;
  const facts: Fact[] = [
    ['attempts', plan.selected],
    ['records', plan.rows],
    [skipUnchanged ? 'skipped, unchanged' : 'unchanged', unchanged || undefined],
    ['in doubt', plan.inDoubt || undefined],
    ['skipped, not higher', plan.notHigher || undefined],
    ['skipped, not higher than a grade in doubt', plan.notHigherInDoubt || undefined],
    ['skipped, replaced by a later record', plan.replaced || undefined],
    ['skipped, beyond the limit', plan.beyondLimit || undefined],
    ['scores', scores && rangeText(scores)],
    ...notesFacts(plan.notes),
    ['ignored columns', plan.ignored.length > 0 ? plan.ignored.join(', ') : undefined],
    ...targetFacts(plan),
    ...overlapFacts(plan),
  ];
  return factTable(['plan', ''], facts);
}

type Fact = [name: string, value: string | number | undefined];

/** Where the grades come from and go to. */
function targetFacts(
  to: Pick<ShownPlan, 'source' | 'ledger' | 'origin' | 'course' | 'location'> & {
    readonly credential: CredentialKind | 'session';
  },
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

function rangeText({ lowest, highest }: NonNullable<PlanSample['scores']>): string {
  return lowest === highest ? `all ${lowest}` : `${lowest} to ${highest}`;
}

/** The first rows of a plan, with the recorded grades that the ledger knows. */
export function sampleTable({ rows }: PlanSample, hasPoints: boolean): Table {
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

/** What a run that goes on is about to send; without a plan its newer attempts are not known yet. */
export interface ShownResume {
  readonly run: RunRecord;
  readonly attempts: number;
  readonly states: readonly State[];
  readonly ledger: string | undefined;
  readonly credential: CredentialKind | 'session';
  readonly sample: PlanSample;
  readonly plan?: ResumePlan | undefined;
}

/** `counts`: the records of the run by state. */
export function resumeTable(shown: ShownResume, counts: Readonly<Record<State, number>>): Table {
  const { run, attempts, states, ledger, credential, sample, plan } = shown;
  const { source, target } = run;
  const again = states.includes('in_doubt');
  const facts: Fact[] = [
    ['run', run.id],
    ['attempts', attempts],
    ...states.map((state): Fact => [state.replace('_', ' '), counts[state] || undefined]),
    ['unchanged', plan?.unchanged || undefined],
    ['superseded, held back', plan?.superseded || undefined],
    ['skipped, recorded by another run', plan?.recordedSince || undefined],
    ['held back, in doubt in another run', plan?.doubtedSince || undefined],
    ['skipped, not higher', plan?.notHigher || undefined],
    ['skipped, not higher than a grade in doubt', plan?.notHigherInDoubt || undefined],
    ['in doubt in another run', plan?.inDoubt || undefined],
    ['in doubt, not sent again', again ? undefined : counts.in_doubt || undefined],
    ['scores', sample.scores && rangeText(sample.scores)],
    ...targetFacts({
      source,
      ledger,
      origin: target.origin,
      course: courseOf(target),
      location: target.location,
      credential,
    }),
    ...(plan ? overlapFacts(plan) : []),
  ];
  return factTable(['plan', ''], facts);
}

/** Grades that were not sent, each beside the newer one of its member. */
export function supersededTable(records: readonly SupersededRecord[]): Table {
  return listTable(records, [
    { name: 'line', numeric: true, drop: 2 },
    { name: 'member', whole: true },
    { name: 'superseded', numeric: true, cell: ({ score }) => score },
    { name: 'newer', numeric: true, cell: ({ newer }) => newer.score },
    { name: 'state', whole: true, cell: ({ newer }) => stateCell(newer.state) },
    { name: 'run', numeric: true, cell: ({ newer }) => newer.run },
  ]);
}

export function supersededJson({ newer, ...record }: SupersededRecord) {
  return { ...record, newer: { ...newer, run: newer.run ?? null } };
}

/** Why a run that goes on left some of its grades out, and how to send them; undefined if it did not. */
export function heldBackText(run: number, counts: SelectionCounts): string | undefined {
  const { superseded, recordedSince, doubtedSince } = counts;
  const send = (flag: string) => `send them with: lectern grade resume ${run} ${flag}`;
  const reasons: [number, string][] = [
    [superseded, `superseded by newer grades of these members; ${send('--include-superseded')}`],
    [recordedSince, `recorded by another run; ${send('--again')}`],
    [doubtedSince, `in doubt in another run; ${send('--again')}`],
  ];
  const texts = reasons
    .filter(([count]) => count > 0)
    .map(([count, reason]) => `${countText(count, 'grade')} held back, ${reason}`);
  return texts.join('; ') || undefined;
}

function overlapFacts(plan: Pick<ShownPlan, 'otherRuns'>): [string, string][] {
  return overlaps(plan).map(({ run, members }) => [
    `also in run ${run}`,
    countText(members, 'member'),
  ]);
}

/** The plan as `--dry-run --json` prints it; a file with errors has no digest, since it cannot run. */
export function planJson(plan: ShownPlan): GradePlan {
  const { findings } = plan;
  const hasErrors = findings.some(({ severity }) => severity === 'error');
  return {
    dry_run: true,
    source: plan.source,
    ledger: plan.ledger ?? null,
    digest: hasErrors ? null : plan.digest,
    rows: plan.rows,
    attempts: hasErrors ? 0 : plan.selected,
    unchanged: plan.unchanged,
    in_doubt: plan.inDoubt,
    not_higher: plan.notHigher,
    not_higher_in_doubt: plan.notHigherInDoubt,
    replaced: plan.replaced,
    beyond_limit: plan.beyondLimit,
    ignored_columns: plan.ignored,
    ...notesJson(plan.notes),
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
