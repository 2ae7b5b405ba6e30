import { NoAnswer, Refusal } from '../client/index.ts';
import type { PostResult } from './attempt.ts';
import type { Stop } from './run-options.ts';

/** The same 403 this often in a row applies to all records. */
const MAX_CONSECUTIVE_FORBIDDEN = 3;
const MAX_CONSECUTIVE_IN_DOUBT = 10;

/** Which answers end a run: they would be the same for the records that follow. */
export class StopRules {
  #forbidden: { readonly text: string; readonly times: number } = { text: '', times: 0 };
  #doubts = 0;
  /** Whether the first record in doubt stops the run. */
  isCareful = false;

  /** Counts an answer; returns why it stops the run, if it does. */
  stopFor(posted: PostResult): Stop | undefined {
    const error = posted.kind === 'failed' ? posted.error : undefined;
    const { status, text } = error instanceof Refusal ? error : { status: 0, text: '' };
    const before = text === this.#forbidden.text ? this.#forbidden.times : 0;
    this.#forbidden = { text, times: status === 403 ? before + 1 : 0 };
    const isInDoubt = error instanceof NoAnswer && error.inDoubt;
    this.#doubts = isInDoubt ? this.#doubts + 1 : 0;
    if (error !== undefined && !(error instanceof Refusal || error instanceof NoAnswer))
      return { kind: 'failed', error };
    if (this.#doubts >= (this.isCareful ? 1 : MAX_CONSECUTIVE_IN_DOUBT))
      return { kind: 'service', error, doubts: this.#doubts };
    if (status === 401 || this.#forbidden.times >= MAX_CONSECUTIVE_FORBIDDEN)
      return { kind: 'service', error };
    return undefined;
  }
}
