import { checkMember, textAt } from '../contract/index.ts';
import { type Client, NoAnswer, type RecordedAttempt, Refusal } from '../client/index.ts';
import type { AttemptLedger, GradeAddress, Intent, Outcome } from '../ledger/ledger.ts';
import { StateError } from '../errors.ts';

/** What of a client submits grades. */
export type GradeClient = Pick<Client, 'submitGrade'>;

/** What came of a POST: what the ledger keeps of it, and what the client gave or threw. */
export type Posted = { readonly outcome: Outcome } & (
  { readonly recorded: RecordedAttempt } | { readonly error: unknown }
);

/**
 * Makes one attempt: the intent is on disk before the POST, and the outcome before anything is said
 * of it. Rethrows what the call threw, once that is kept.
 */
export async function attempt(
  ledger: AttemptLedger,
  client: GradeClient,
  intent: Intent,
): Promise<RecordedAttempt> {
  const id = await ledger.intend(intent);
  const posted = await post(client, intent.url, intent.body);
  try {
    await ledger.settle(id, posted.outcome, whose(intent, posted));
  } catch (error) {
    throw new StateError(
      `the answer could not be kept: ${error instanceof Error ? error.message : String(error)}`,
      `this is the only record of the attempt, keep it: ${JSON.stringify(posted.outcome)}`,
      { cause: error },
    );
  }
  if ('error' in posted) throw posted.error;
  return posted.recorded;
}

/** Where nobody knew the member that an address names, the record tells, if it names one. */
function whose({ url, member }: Intent, posted: Posted): GradeAddress | undefined {
  if (member !== '' || !('recorded' in posted)) return undefined;
  const told = textAt(posted.recorded.attempt, 'annotations', 'member');
  return told === undefined || checkMember(told) ? undefined : { url, member: told };
}

/** Posts a grade once. What goes wrong becomes an outcome too. */
export async function post(client: GradeClient, url: string, body: string): Promise<Posted> {
  try {
    const recorded = await client.submitGrade(url, ENCODER.encode(body));
    return { outcome: recordedOutcome(recorded), recorded };
  } catch (error) {
    return { outcome: outcomeOf(error), error };
  }
}

const ENCODER = new TextEncoder();

function recordedOutcome({ attempt: { status }, text, status: http }: RecordedAttempt): Outcome {
  return { kind: 'recorded', status, http, attempt: text };
}

/**
 * What a failed call means for the attempt. "A bad request (HTTP error) publishes nothing and
 * records nothing"; a 401 and a 429 had no effect at all, so the same grade may be sent again.
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
  return { kind: 'not_sent', reason: error instanceof Error ? error.message : String(error) };
}
