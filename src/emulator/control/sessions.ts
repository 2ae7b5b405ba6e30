/** How long a code lets a page in. */
export const CODE_MS = 60_000;
/** More than this many pages at once nobody has; the oldest go first. */
const MAX_SESSIONS = 100;

/**
 * Who may use the console: pages that came with a code. A code works once and for a minute; the
 * session that it is traded for lasts until the emulator ends. Both are texts that nobody can guess.
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

  /** Trades a code for a session; undefined where it was used already, is too old or unknown. */
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
