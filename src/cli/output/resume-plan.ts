import { courseOf } from '../../grades/run-target.ts';
import type { ResumePlan } from '../../grades/resume-plan.ts';
import type { PlanSample } from '../../grades/plan-sample.ts';
import type { SelectionCounts, SupersededRecord } from '../../grades/selection.ts';
import type { CredentialKind, RunRecord, State } from '../../ledger/ledger.ts';
import { changeFacts, type Fact, overlapFacts, rangeText, targetFacts } from './grade-plan.ts';
import { type Table, factTable, listTable, stateCell } from './table.ts';
import { countText } from './units.ts';

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
  const { run, attempts, states, sample, plan } = shown;
  const again = states.includes('in_doubt');
  const facts: Fact[] = [
    ['run', run.id],
    ['attempts', attempts],
    ...states.map((state): Fact => [state.replace('_', ' '), counts[state] || undefined]),
    ...changeFacts(sample, ['unchanged', plan?.unchanged ?? 0]),
    ['superseded, held back', plan?.superseded || undefined],
    ['skipped, recorded by another run', plan?.recordedSince || undefined],
    ['held back, in doubt in another run', plan?.doubtedSince || undefined],
    ['skipped, not higher', plan?.notHigher || undefined],
    ['skipped, not higher than a grade in doubt', plan?.notHigherInDoubt || undefined],
    ['in doubt in another run', plan?.inDoubt || undefined],
    ['in doubt, not sent again', again ? undefined : counts.in_doubt || undefined],
    ['scores', rangeText(sample.scores)],
  ];
  return factTable(['plan', ''], facts);
}

/** Where the grades of a run that goes on come from and go to. */
export function resumeTargetTable({ run, ledger, credential, plan }: ShownResume): Table {
  const { origin, location } = run.target;
  const course = courseOf(run.target);
  const to = { source: run.source, ledger, origin, course, location, credential };
  return factTable(['target', ''], [...targetFacts(to), ...(plan ? overlapFacts(plan) : [])]);
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
export function heldBackText(
  run: number,
  states: readonly State[],
  counts: SelectionCounts,
): string | undefined {
  const { superseded, recordedSince, doubtedSince } = counts;
  const retries = [
    ...(states.includes('failed') ? ['--retry-failed '] : []),
    ...(states.includes('in_doubt') ? ['--retry-in-doubt '] : []),
  ].join('');
  const send = (flag: string) => `send them with: lectern grade resume ${run} ${retries}${flag}`;
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
