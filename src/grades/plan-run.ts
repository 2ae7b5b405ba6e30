import type { Credential } from '../client/index.ts';
import { type Claims, explainViolation, gradeUrlTemplate, readLaunch } from '../contract/index.ts';
import { InvalidError } from '../errors.ts';
import { SameRunError } from '../ledger/error.ts';
import type { GradeLedger, NewRun, RunRecord } from '../ledger/ledger.ts';
import { makePlan, type Plan, type PlanOptions } from './plan.ts';

export interface PlanRunOptions extends Partial<PlanOptions> {
  /**
   * Called with the plan before the run is stored; throw to abort. By default a plan with findings is
   * refused.
   */
  readonly confirm?: (plan: Plan) => void | Promise<void>;
  /** Plans the same rows again, though an open run of a shared ledger has them. */
  readonly again?: boolean | undefined;
}

/** A run that is stored completely, with nothing sent yet. */
export interface PlannedRun {
  readonly plan: Plan;
  readonly run: RunRecord;
}

/**
 * Describes a run: grades for the location of a launch, each for a member of its course.
 *
 * @param claims of a launch whose `grade.submit` is under `/contexts/`
 * @param credential a staff launch's own, or the tool's API key
 * @param source where the records come from, shown by `grade runs`
 * @throws {InvalidError} the launch cannot submit grades of other members
 */
export function newRun(claims: Claims, credential: Credential, source = 'library'): NewRun {
  const { gradeSubmit, member, location, context } = readLaunch(claims);
  if (typeof gradeSubmit !== 'string') {
    const why = gradeSubmit === null ? 'has no gradebook column to post to' : 'has no grade.submit';
    throw new InvalidError(`the launch ${why}`, { code: 'launch.claim_missing' });
  }
  const template = gradeUrlTemplate(gradeSubmit, member);
  if ('violation' in template) {
    const { message, hint } = explainViolation(template.violation);
    throw new InvalidError(message, { code: template.violation.code, hint });
  }
  const target = { url: template.url, origin: credential.origin, location, context };
  return { target, credential: credential.kind, source, options: {} };
}

/**
 * Checks records, and stores those to be sent as a run of the ledger, which `sendRun` sends now or
 * after a crash. Sends nothing.
 *
 * @param chunks a file of grades (CSV, or one JSON object per line), or `recordChunks` of an array
 * @throws {InvalidError} `grades.invalid`, with the findings: a record would be refused; `run.twice`:
 *   an open run of a shared ledger has the same rows
 * @throws {LedgerError} the run cannot be stored
 * @example
 * const records = recordChunks([{ member: 'm-1', score: 0.85 }]);
 * const { run } = await planRun(ledger, newRun(claims, credential), records);
 */
export async function planRun(
  ledger: GradeLedger,
  run: NewRun,
  chunks: AsyncIterable<Uint8Array>,
  { confirm: agree = refuseFindings, again = false, ...options }: PlanRunOptions = {},
): Promise<PlannedRun> {
  const draft = await ledger.createRun(run);
  try {
    const planning = { names: new Map(), findingsKept: FINDINGS_KEPT, ...options };
    const plan = await makePlan(ledger, run, chunks, planning, (rows) => draft.addRows(rows));
    if (!again) await refuseSame(ledger, run, plan);
    await agree(plan);
    const { digest, fileDigest, rowsDigest } = plan;
    if (!ledger.shared) return { plan, run: await draft.seal(digest, { fileDigest }) };
    const known = { fileDigest, rowsDigest };
    return { plan, run: await draft.seal(digest, known, again ? undefined : rowsDigest) };
  } catch (error) {
    // A draft that cannot be discarded now is deleted when the next run is made.
    await draft.discard().catch(() => {});
    throw error instanceof SameRunError ? sameRun(error.run) : error;
  }
}

/** Refuses rows that an open run of a shared ledger has, to be sent once. */
export async function refuseSame(
  { shared }: GradeLedger,
  { target }: Pick<NewRun, 'target'>,
  { rowsDigest, selected, faults }: Plan,
): Promise<void> {
  if (!shared || selected === 0 || faults > 0) return;
  const open = await shared.openRunOf(target.url, rowsDigest);
  if (open !== undefined) throw sameRun(open);
}

function sameRun(run: number): InvalidError {
  return new InvalidError(`run ${run} has the same rows, and is not yet sent whole`, {
    code: 'run.twice',
    hint: `join it with: lectern grade work ${run}; to send them twice, pass --again`,
  });
}

const FINDINGS_KEPT = 50;

function refuseFindings({ faults, findings }: Plan): void {
  const [first] = findings;
  if (first === undefined) return;
  const message = `nothing was sent: ${faults} ${faults === 1 ? 'finding' : 'findings'}, the first on line ${first.line}: ${first.message}`;
  throw new InvalidError(message, { code: 'grades.invalid', findings });
}
