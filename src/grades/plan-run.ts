import type { Credential } from '../client/index.ts';
import {
  type Claims,
  explainViolation,
  type GradeBody,
  gradeUrlTemplate,
  readLaunch,
} from '../contract/index.ts';
import { InvalidError } from '../errors.ts';
import { SameRunError } from '../ledger/error.ts';
import type { GradeLedger, NewRun, RunRecord } from '../ledger/ledger.ts';
import { isError } from '../validator/finding.ts';
import { makePlan, type Plan, type PlanOptions } from './plan.ts';
import { movedText } from './run-target.ts';
import { type StoredRecord, StoredRecords } from './stored-records.ts';

export interface PlanRunOptions extends Partial<PlanOptions> {
  /**
   * Called with the plan and its records, by what they change, before the run is stored; throw to
   * abort. By default a plan with errors is refused.
   */
  readonly confirm?: (
    plan: Plan,
    records: AsyncIterable<readonly StoredRecord[]>,
  ) => void | Promise<void>;
  /** Plans records again that an open run would still send, or has in doubt. */
  readonly again?: boolean | undefined;
}

/** A run that is stored completely, with nothing sent yet. */
export interface PlannedRun {
  readonly plan: Plan;
  /** undefined if the plan has nothing to send. */
  readonly run: RunRecord | undefined;
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
 *   another run would still send one of the records, or has it in doubt
 * @throws {LedgerError} the run cannot be stored
 * @example
 * const records = recordChunks([{ member: 'm-1', score: 0.85 }]);
 * const { run } = await planRun(ledger, newRun(claims, credential), records);
 * if (run) await sendRun({ ledger, client, run, pid: process.pid });
 */
export async function planRun(
  ledger: GradeLedger,
  run: NewRun,
  chunks: AsyncIterable<Uint8Array>,
  { confirm: agree = refuseFindings, again = false, ...options }: PlanRunOptions = {},
): Promise<PlannedRun> {
  await ledger.checkWritable();
  const time = await ledger.now();
  const records = new StoredRecords();
  try {
    const planning = { names: new Map(), findingsKept: FINDINGS_KEPT, ...options };
    const plan = await makePlan(ledger, run, chunks, planning, (rows) => records.add(rows));
    if (!again) await refuseSame(ledger, plan);
    await agree(plan, records.byChange());
    const { digest, fileDigest, hasPoints, compared, selected: rows } = plan;
    if (rows === 0) return { plan, run: undefined };
    const { skipUnchanged, onlyIfHigher } = options;
    const known = { fileDigest, skipUnchanged, onlyIfHigher, ...(hasPoints && { points: true }) };
    const given = { ...run, options: { ...run.options, ...known }, time, digest, rows };
    const stored = await ledger.createRun(again ? given : { ...given, compared }, records);
    return { plan, run: stored };
  } catch (error) {
    if (!(error instanceof SameRunError)) throw error;
    throw await sameRecords(ledger, error.run, error.count);
  } finally {
    records.close();
  }
}

/** Refuses records that another run would still send, or has in doubt: they are published once. */
export async function refuseSame(ledger: GradeLedger, { otherRuns, faults }: Plan): Promise<void> {
  const other = otherRuns.find(({ same }) => same > 0);
  if (other && faults === 0) throw await sameRecords(ledger, other.run, other.same);
}

async function sameRecords(ledger: GradeLedger, run: number, count: number): Promise<InvalidError> {
  const { inDoubt, notSent } = await ledger.summary(run);
  const records = count === 1 ? 'one of these records' : `${count} of these records`;
  const left = `${inDoubt} in doubt, ${notSent} not sent`;
  const sender = await ledger.sender(run);
  const here = await ledger.run(run);
  const moved = here && movedText(here);
  const retry = notSent === 0 ? ' --retry-in-doubt' : '';
  const resume = `lectern grade resume ${run}${retry}`;
  const join = ledger.shared ? `, or join it with: lectern grade work ${run}` : '';
  let [message, hint] = [`is not finished: ${left}`, `continue it with: ${resume}${join}`];
  if (moved !== undefined) {
    message = `${moved}: ${left} when it left`;
    hint = `continue it where it was imported; if it is sent nowhere else: ${resume} --again`;
  } else if (sender !== undefined) {
    // Whether an answer is awaited or has been lost is known once that process has ended.
    message = `is being sent by process ${sender}: up to ${left}`;
    hint = `let it end, and continue what it leaves with: ${resume}${join}`;
  }
  return new InvalidError(`run ${run} has ${records} and ${message}`, {
    code: 'run.twice',
    hint: `${hint}; to send these records again anyway, pass --again`,
  });
}

const FINDINGS_KEPT = 50;

function refuseFindings({ faults, findings }: Plan): void {
  if (faults === 0) return;
  // Warnings may have filled the list before an error.
  const first = findings.find(isError);
  // A finding about the whole file has no line.
  const place = first && first.line !== null ? ` on line ${first.line}` : '';
  const detail = first ? `, the first${place}: ${first.message}` : '';
  const message = `nothing was sent: ${faults} ${faults === 1 ? 'error' : 'errors'}${detail}`;
  throw new InvalidError(message, { code: 'grades.invalid', findings });
}

/**
 * One grade of a run: its member, and the fields of its attempt ("Grade submission"). Either `score`,
 * from 0 to 1, or `points`, out of `max_score`.
 */
export type GradeRecord = { readonly member: string } & Readonly<Partial<GradeBody>> & {
    readonly points?: number;
  };

const CHUNK_CHARACTERS = 65_536;

/**
 * Records as the chunks of a file of grades: one JSON object per line, so that line 1 of a finding is
 * the first record.
 *
 * @example
 * const chunks = recordChunks([{ member: 'm-1', points: 42.5, max_score: 50 }]);
 */
export async function* recordChunks(
  records: Iterable<GradeRecord> | AsyncIterable<GradeRecord>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let text = '';
  for await (const record of records) {
    text += `${JSON.stringify(record)}\n`;
    if (text.length < CHUNK_CHARACTERS) continue;
    yield encoder.encode(text);
    text = '';
  }
  if (text !== '') yield encoder.encode(text);
}
