/** How long a code is valid. */
export const CODE_MS = 60_000;
/** More pages than anybody opens; beyond it, the oldest sessions are dropped. */
const MAX_SESSIONS = 100;

/**
 * The sessions of console pages. A page trades a code, which works once and for a minute, for a
 * session, which lasts until the emulator ends. Both are random.
 */
export class ConsoleSessions {
  readonly #secret: () => string;
  readonly #now: () => number;
  /** When each code was made. */
  readonly #codes = new Map<string, number>();
  readonly #sessions = new Set<string>();

  /** `now` is the machine's clock in ms: the emulator's own is moved at will. */
  constructor(secret: () => string, now: () => number) {
    this.#secret = secret;
    this.#now = now;
  }

  newCode(): string {
    this.#forgetOld();
    const code = this.#secret();
    this.#codes.set(code, this.#now());
    return code;
  }

  /** Trades a code for a session; undefined if it was used already, is too old or unknown. */
  trade(code: string): string | undefined {
    this.#forgetOld();
    if (!this.#codes.delete(code)) return undefined;
    const session = `cs_${this.#secret()}`;
    this.#sessions.add(session);
    for (const oldest of this.#sessions) {
      if (this.#sessions.size <= MAX_SESSIONS) break;
      this.#sessions.delete(oldest);
    }
    return session;
  }

  has(session: string | undefined): boolean {
    return session !== undefined && this.#sessions.has(session);
  }

  #forgetOld(): void {
    const now = this.#now();
    for (const [code, made] of this.#codes) if (now - made >= CODE_MS) this.#codes.delete(code);
  }
}
