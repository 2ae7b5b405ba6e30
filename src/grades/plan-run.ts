import type { Credential } from '../client/index.ts';
import { type Claims, explainViolation, markedGradeUrl, readLaunch } from '../contract/index.ts';
import { InvalidError } from '../errors.ts';
import type { Ledger, NewRun, RunRecord } from '../ledger/ledger.ts';
import { makePlan, type Plan, type PlanOptions } from './plan.ts';

export interface PlanRunOptions extends Partial<PlanOptions> {
  /**
   * Called with the plan before the run is kept; what it throws gives the run up. Left out, a plan
   * with findings is refused.
   */
  readonly agree?: (plan: Plan) => void | Promise<void>;
}

/** A run that is stored whole, and nothing of it sent. */
export interface PlannedRun {
  readonly plan: Plan;
  readonly run: RunRecord;
}

/**
 * What a run is: grades for the placement of a launch, each for a member of its course.
 *
 * @param claims of a launch whose `grade.submit` is under `/contexts/`
 * @param credential the launch's own (a staff member's), or the tool's API key
 * @param source where the records come from, as `grade runs` is to show it
 * @throws {InvalidError} where no other member's grade can be submitted with the launch
 */
export function newRun(claims: Claims, credential: Credential, source = 'library'): NewRun {
  const { gradeSubmit, member, location, context } = readLaunch(claims);
  if (typeof gradeSubmit !== 'string') {
    const why = gradeSubmit === null ? 'has no gradebook column to post to' : 'has no grade.submit';
    throw new InvalidError(`the launch ${why}`, { code: 'launch.claim_missing' });
  }
  const marked = markedGradeUrl(gradeSubmit, member);
  if ('violation' in marked) {
    const { message, hint } = explainViolation(marked.violation);
    throw new InvalidError(message, { code: marked.violation.code, hint });
  }
  const target = { url: marked.url, origin: credential.origin, location, context };
  return { target, credential: credential.kind, source, options: {} };
}

/**
 * Checks records, and stores those that are to be sent as a run of the ledger, whole, so that it can
 * be sent with `sendRun` now or after a crash. Sends nothing.
 *
 * @param chunks a file of grades (CSV, or one JSON object per line), or `recordChunks` of an array
 * @throws {InvalidError} `grades.invalid`, with the findings, where a record would be refused
 * @example
 * const records = recordChunks([{ member: 'm-1', score: 0.85 }]);
 * const { run } = await planRun(ledger, newRun(claims, credential), records);
 */
export async function planRun(
  ledger: Ledger,
  run: NewRun,
  chunks: AsyncIterable<Uint8Array>,
  { agree = refuseFindings, ...options }: PlanRunOptions = {},
): Promise<PlannedRun> {
  const draft = await ledger.createRun(run);
  try {
    const planning = { names: new Map(), findingsKept: FINDINGS_KEPT, ...options };
    const plan = await makePlan(ledger, run, chunks, planning, (rows) => draft.addRows(rows));
    await agree(plan);
    const { digest, fileDigest } = plan;
    return { plan, run: await draft.seal(digest, { fileDigest }) };
  } catch (error) {
    // What cannot be taken away now is swept away when the next run is made.
    await draft.discard().catch(() => {});
    throw error;
  }
}

const FINDINGS_KEPT = 50;

function refuseFindings({ faults, findings }: Plan): void {
  const [first] = findings;
  if (first === undefined) return;
  const message = `nothing was sent: ${faults} ${faults === 1 ? 'finding' : 'findings'}, the first on line ${first.line}: ${first.message}`;
  throw new InvalidError(message, { code: 'grades.invalid', findings });
}
