import { courseOf } from '../../grades/run-target.ts';
import type { ResumePlan } from '../../grades/resume-plan.ts';
import type { PlanSample } from '../../grades/plan-sample.ts';
import type { SelectionCounts } from '../../grades/selection.ts';
import type { CredentialKind, RunRecord, State } from '../../ledger/ledger.ts';
import {
  changeFacts,
  type Fact,
  overlapFacts,
  overtakenFacts,
  rangeText,
  targetFacts,
} from './grade-plan.ts';
import { type Table, factTable } from './table.ts';
import { countText } from './units.ts';

/** The records that a resumed run is about to send. */
export interface ShownResume {
  readonly run: RunRecord;
  readonly attempts: number;
  readonly states: readonly State[];
  readonly ledger: string | undefined;
  readonly credential: CredentialKind;
  readonly sample: PlanSample;
  readonly plan: ResumePlan;
}

/** `counts`: the records of the run by state. */
export function resumeTable(shown: ShownResume, counts: Readonly<Record<State, number>>): Table {
  const { run, attempts, states, sample, plan } = shown;
  const again = states.includes('in_doubt');
  const facts: Fact[] = [
    ['run', run.id],
    ['attempts', attempts],
    ...states.map((state): Fact => [state.replace('_', ' '), counts[state] || undefined]),
    ...changeFacts(sample, ['unchanged', plan.unchanged]),
    ...overtakenFacts(plan),
    ['skipped, not higher', plan.notHigher || undefined],
    ['skipped, not higher than a grade in doubt', plan.notHigherInDoubt || undefined],
    ['in doubt in another run', plan.inDoubt || undefined],
    ['in doubt, not sent again', again ? undefined : counts.in_doubt || undefined],
    ['scores', rangeText(sample.scores)],
  ];
  return factTable(['plan', ''], facts);
}

/** Where the grades of a resumed run come from and go to. */
export function resumeTargetTable({ run, ledger, credential, plan }: ShownResume): Table {
  const { origin, location } = run.target;
  const course = courseOf(run.target);
  const to = { source: run.source, ledger, origin, course, location, credential };
  return factTable(['target', ''], [...targetFacts(to), ...overlapFacts(plan)]);
}

/** Why some grades are held back, and the command that sends them; undefined if none is. */
export function heldBackText(command: string, counts: SelectionCounts): string | undefined {
  const { superseded, recordedSince, doubtedSince } = counts;
  const send = (flag: string) => `send them with: ${command} ${flag}`;
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
