import { checkMember, type GradeAttempt, numberAt, textAt } from '../contract/index.ts';
import {
  type Client,
  doubtAbout,
  NoAnswer,
  type RecordedAttempt,
  Refusal,
} from '../client/index.ts';
import type { AttemptLedger, GradeAddress, Intent, Outcome } from '../ledger/ledger.ts';
import { messageOf, StateError } from '../errors.ts';

/** The part of a client that submits grades. */
export type GradeClient = Pick<Client, 'submitGrade'>;

/** The result of a POST: what the ledger keeps, and what the client returned or threw. */
export type PostResult = { readonly outcome: Outcome } & (
  | { readonly kind: 'recorded'; readonly recorded: RecordedAttempt }
  | { readonly kind: 'failed'; readonly error: unknown; readonly wait: Wait | undefined }
);

/** Why to send slower: 429, no connection, or 503; and the `Retry-After` in ms, if there was one. */
export interface Wait {
  readonly cause: 'limited' | 'unconnected' | 'overloaded';
  readonly askedMs: number | undefined;
}

/**
 * Submits one grade ("Grade submission"). The intent is on disk before the POST, and the outcome
 * before this returns or throws. A score that the LMS refuses is returned too, with the status `failed`.
 *
 * @throws {Refusal} the service answered 4xx; nothing was recorded
 * @throws {NoAnswer} in doubt if `inDoubt` is true, otherwise nothing was sent
 * @throws {LedgerError} nothing sent: the intent cannot be kept
 * @throws {StateError} the outcome cannot be kept; its text is in the hint
 * @example
 * const { gradeSubmit, member } = readLaunch(claims);
 * const intent = { url: gradeSubmit, member, credential: 'launch_token', body: '{"score":0.85}' };
 * const { attempt: record } = await attempt(ledger, client, intent);
 */
export async function attempt(
  ledger: AttemptLedger,
  client: GradeClient,
  intent: Intent,
): Promise<RecordedAttempt> {
  const pending = await ledger.intend(intent);
  const posted = await post(client, intent.url, intent.body);
  try {
    await ledger.storeOutcome(pending, posted.outcome, gradedMember(intent, posted));
  } catch (error) {
    throw new StateError(
      `the response could not be stored: ${messageOf(error)}`,
      `this is the only record of the attempt, keep it: ${JSON.stringify(posted.outcome)}`,
      { cause: error },
    );
  }
  if (posted.kind === 'recorded') return posted.recorded;
  throw doubtAbout(posted.error, { member: intent.member || undefined });
}

/** The member that the record names, if the intent did not know one. */
function gradedMember({ url, member }: Intent, posted: PostResult): GradeAddress | undefined {
  if (member !== '' || posted.kind === 'failed') return undefined;
  const named = textAt(posted.recorded.attempt, 'annotations', 'member');
  return named === undefined || checkMember(named) ? undefined : { url, member: named };
}

/** Posts a grade once. An error becomes an outcome too. */
export async function post(client: GradeClient, url: string, body: string): Promise<PostResult> {
  try {
    const recorded = await client.submitGrade(url, ENCODER.encode(body));
    const { attempt: record, text, status: http } = recorded;
    const outcome = { kind: 'recorded', status: record.status, http, attempt: text } as const;
    return { kind: 'recorded', outcome, recorded };
  } catch (error) {
    return { kind: 'failed', outcome: outcomeOf(error), error, wait: waitOf(error) };
  }
}

function waitOf(error: unknown): Wait | undefined {
  if (!(error instanceof Refusal || error instanceof NoAnswer)) return undefined;
  const { status, retryAfterMs: askedMs } = error;
  if (status === 429) return { cause: 'limited', askedMs };
  if (status === 503) return { cause: 'overloaded', askedMs };
  const isUnsent = error instanceof NoAnswer && !error.inDoubt;
  return isUnsent ? { cause: 'unconnected', askedMs } : undefined;
}

const ENCODER = new TextEncoder();

/**
 * The outcome of a call that threw. "A bad request (HTTP error) publishes nothing and records
 * nothing"; a 401 or 429 does not judge the grade, so it may be sent again.
 */
function outcomeOf(error: unknown): Outcome {
  if (error instanceof Refusal) {
    const { status: http, text, code } = error;
    if (http === 401 || http === 429)
      return { kind: 'not_sent', reason: error.message, http, text };
    return { kind: 'refused', http, code, text };
  }
  if (error instanceof NoAnswer && error.inDoubt) {
    // The attempt may have been recorded, and then this body is the only record of it.
    return { kind: 'in_doubt', reason: error.message, http: error.status, text: error.body };
  }
  return { kind: 'not_sent', reason: messageOf(error) };
}

/**
 * Warnings about a record that has another member or score than was sent. `member` is undefined if it
 * was not known.
 */
export function mismatchesOf(
  record: GradeAttempt,
  sent: { readonly member: string | undefined; readonly score: number },
): string[] {
  const member = textAt(record, 'annotations', 'member');
  const score = numberAt(record, 'score');
  const differences: string[] = [];
  if (sent.member !== undefined && member !== undefined && member !== sent.member)
    differences.push(`the record is for member ${member}, not ${sent.member}`);
  if (score !== undefined && score !== sent.score)
    differences.push(`the record has the score ${score}, not ${sent.score}`);
  return differences;
}
