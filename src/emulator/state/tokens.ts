import { LAUNCH_TOKEN_IDLE_MS, PROVISION_TOKEN_MS } from '../../contract/index.ts';
import type { Value } from '../../sqlite/database.ts';
import type { Store } from '../store/store.ts';
import type { EmulatorClock } from './clock.ts';
import type { EndReason, Tables, Token } from './records.ts';

/** How far the stored `last_call` may be behind, so that not every read costs a write. */
const LAST_CALL_LAG_MS = 60 * 1000;

export const TOKEN_PREFIXES = { launch: 'lt_', provision: 'pt_' } as const;

/** Whether a text looks like a token of an emulator. */
export function isTokenForm(text: string): boolean {
  return Object.values(TOKEN_PREFIXES).some((prefix) => text.startsWith(prefix));
}

/**
 * When a token ends if no call comes, in ms since the epoch: "12 hours without a call" end a launch
 * token, 3 hours that of a provision request.
 */
export function expiryOf({ kind, issued, last_call }: Token): number {
  return kind === 'launch' ? last_call + LAUNCH_TOKEN_IDLE_MS : issued + PROVISION_TOKEN_MS;
}

/** Why a token has ended by now, or ''. Exactly at its expiry it has ended. */
export function endOf(token: Token, now: number): EndReason | '' {
  if (token.ended !== '') return token.ended;
  if (now < expiryOf(token)) return '';
  return token.kind === 'launch' ? 'idle' : 'lifetime over';
}

/**
 * The tokens. A call restarts the idle timer, which is stored once a minute: every read would cost a
 * commit otherwise. Until then SQL sees it by the function `called`.
 */
export class Tokens {
  readonly #table: Tables['tokens'];
  readonly #clock: EmulatorClock;
  readonly #edgeMs: number;
  /** The last calls that are not stored yet. */
  readonly #calls = new Map<string, number>();

  /** @param edgeMs how long after the 12 hours a token is still live */
  constructor(table: Tables['tokens'], clock: EmulatorClock, store: Store, edgeMs: number) {
    this.#table = table;
    this.#clock = clock;
    this.#edgeMs = edgeMs;
    store.define('called', (token, stored) => this.#calls.get(token ?? '') ?? Number(stored));
  }

  /** A token by its text. */
  get(text: string): Token | undefined {
    return this.#current(this.#table.get(text));
  }

  /** The token of a launch, by the launch's ID. */
  ofLaunch(launchId: string): Token | undefined {
    return this.#current(this.#table.first('launch_id = ?', [launchId]));
  }

  #current(token: Token | undefined): Token | undefined {
    const lastCall = token && this.#calls.get(token.token);
    return lastCall === undefined ? token : { ...(token as Token), last_call: lastCall };
  }

  /** The tokens that match a condition, in the order of their issue. */
  all(where?: string, values?: readonly Value[]): Token[] {
    return this.#table.all(where, values).map((token) => this.#current(token) as Token);
  }

  /** Whether one matches a condition. */
  some(where: string, values: readonly Value[]): boolean {
    return this.#table.first(where, values) !== undefined;
  }

  /** Those that have not ended. */
  live(): Token[] {
    return this.all(`ended = '' AND ${EXPIRY} > ?`, [this.#clock.now()]);
  }

  count(): number {
    return this.#table.count();
  }

  add(token: Token): void {
    this.#table.put(token);
  }

  /** The time of a call that is made now, as it is kept: the 12 hours begin at it. */
  callTime(): number {
    return this.#clock.now() + this.#edgeMs;
  }

  /** Restarts the idle timer, after a successful call. */
  touch({ token: text, kind }: Token): void {
    if (kind === 'provision') return;
    // The call itself may have changed or ended the record.
    const stored = this.#table.get(text);
    if (stored === undefined || stored.ended !== '') return;
    const now = this.callTime();
    if (now - stored.last_call < LAST_CALL_LAG_MS) this.#calls.set(text, now);
    else this.#store(text, now);
  }

  #store(text: string, lastCall: number): void {
    this.#table.write('UPDATE tokens SET last_call = ? WHERE token = ?', [lastCall, text]);
    this.#calls.delete(text);
  }

  /** Stores all last calls. */
  storeCalls(): void {
    for (const [text, lastCall] of this.#calls) this.#store(text, lastCall);
  }

  /** Forgets the calls: the tokens were replaced. */
  forget(): void {
    this.#calls.clear();
  }

  /** Ends every live token that matches; returns how many. An ended token stays ended. */
  end(reason: EndReason, where: string, values: readonly Value[]): number {
    this.endOverdue();
    const sql = `UPDATE tokens SET ended = ? WHERE ended = '' AND ${where}`;
    return this.#table.write(sql, [reason, ...values]);
  }

  /** Marks expired tokens as ended: called before and after the clock is moved. */
  endOverdue(): void {
    const now = this.#clock.now();
    this.#table.write(
      `UPDATE tokens SET ended = iif(kind = 'launch', 'idle', 'lifetime over')
       WHERE ended = '' AND ${EXPIRY} <= ?`,
      [now],
    );
  }
}

/** When a token ends if no call comes, as `expiryOf`. */
export const EXPIRY = `iif(kind = 'launch', called(token, last_call) + ${LAUNCH_TOKEN_IDLE_MS}, issued + ${PROVISION_TOKEN_MS})`;
