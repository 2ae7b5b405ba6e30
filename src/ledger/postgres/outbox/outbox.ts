import { createHash, randomUUID } from 'node:crypto';
import { open, readdir, rm } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import {
  makeFolder,
  PRIVATE_FOLDER_MODE,
  PRIVATE_MODE,
  renameFile,
} from '../../../disk/private-file.ts';
import { readPlainFile } from '../../../disk/plain-file.ts';
import { sleepUnlessAborted } from '../../../clock.ts';
import type { Clock } from '../../../ports.ts';
import type { Intent, Outcome } from '../../ledger.ts';

const MOST_BYTES = 256 << 20;

/** The worker, and the pass of a run that it is in. */
export interface Worker {
  readonly id: number;
  readonly run: number;
  readonly pass: number;
}

/**
 * Identifies an attempt: by its token, or by its row and worker. Its number does not: after a
 * failover the server may assign the last numbers again.
 */
export interface AttemptKey {
  readonly token: string | null;
  readonly run: number | null;
  readonly line: number | null;
  readonly worker: number | null;
  readonly try: number | null;
}

/** An attempt and its author. `token` identifies an attempt whose row was not claimed. */
export interface MadeAttempt {
  readonly intent: Intent;
  readonly worker?: Worker | undefined;
  readonly token: string | null;
}

/** The outcome of an attempt, with the attempt itself, which the server may have lost. */
export interface NewOutcome {
  readonly attempt: number;
  readonly outcome: Outcome;
  /** Unknown for an attempt that another process made. */
  readonly made?: MadeAttempt | undefined;
}

/** An intent that the server may have stored, but that was not sent. */
export interface KeptIntent {
  readonly withdrawn: AttemptKey;
}

type Kept = NewOutcome | KeptIntent;

/**
 * Answers that the server could not take yet, in files on this machine. Each file is written once
 * and never changed, so that any lectern here can deliver it; delivering it twice does no harm.
 */
export class Outbox {
  readonly #folder: string;

  /** `ledger` identifies the ledger among those that use the same folder. */
  constructor(folder: string, ledger: string) {
    const digest = createHash('sha256').update(ledger).digest('hex').slice(0, 16);
    this.#folder = join(folder, digest);
  }

  /** Resolves with the file once it is on disk. */
  async keep(kept: readonly Kept[]): Promise<string> {
    makeFolder(this.#folder, PRIVATE_FOLDER_MODE);
    const file = join(this.#folder, `${randomUUID()}.ndjson`);
    const unfinished = `${file}.part`;
    const handle = await open(unfinished, 'wx', PRIVATE_MODE);
    try {
      const lines = kept.map((each) => JSON.stringify(each));
      await handle.writeFile(`${lines.join('\n')}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await renameFile(unfinished, file);
    const folder = await open(this.#folder, 'r');
    try {
      // Windows cannot sync a folder.
      if (platform() !== 'win32') await folder.sync();
    } finally {
      await folder.close();
    }
    return file;
  }

  async discard(file: string): Promise<void> {
    await rm(file, { force: true });
  }

  async count(): Promise<number> {
    let count = 0;
    for (const file of await this.#files()) {
      const answers = (await this.#read(file)).filter(
        (each) => 'outcome' in each && each.outcome.kind !== 'not_sent',
      );
      count += answers.length;
    }
    return count;
  }

  /** Passes every waiting file to `deliver`, and removes those that were delivered. */
  async deliver(deliver: (kept: readonly Kept[]) => Promise<void>): Promise<void> {
    for (const file of await this.#files()) {
      await deliver(await this.#read(file));
      await this.discard(file);
    }
  }

  async #files(): Promise<string[]> {
    const names = await readdir(this.#folder).catch(() => []);
    return names
      .filter((name) => name.endsWith('.ndjson'))
      .sort()
      .map((name) => join(this.#folder, name));
  }

  /** Empty if another lectern has delivered it meanwhile. */
  async #read(file: string): Promise<Kept[]> {
    try {
      const text = new TextDecoder().decode(await readPlainFile(file, MOST_BYTES));
      const lines = text.split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line) as Kept);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }
}

/** How long a response may be in memory only, in ms. */
const IN_MEMORY_MS = 500;

/** A file of the outbox, and how many of its outcomes the server has not stored. */
interface KeptFile {
  readonly name: Promise<string>;
  left: number;
}

/**
 * The outcomes that the server has not stored yet. Each is in the outbox after half a second, even
 * if the connection hangs, and is removed from there when the server has it.
 */
export class UnstoredOutcomes {
  readonly #outbox: Outbox;
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>;
  /** Those in memory only, oldest first, with their time of arrival. */
  readonly #since = new Map<NewOutcome, number>();
  readonly #files = new Map<NewOutcome, KeptFile>();
  readonly #closed = new AbortController();
  #watching: Promise<void> | undefined;

  constructor(outbox: Outbox, clock: Pick<Clock, 'monotonic' | 'sleep'>) {
    this.#outbox = outbox;
    this.#clock = clock;
  }

  add(outcome: NewOutcome): void {
    this.#since.set(outcome, this.#clock.monotonic());
    this.#watching ??= this.#watch().finally(() => (this.#watching = undefined));
  }

  /** Whether another lectern on this machine may have delivered it. */
  isKept(outcome: NewOutcome): boolean {
    return this.#files.has(outcome);
  }

  /** Resolves when the outcomes are on disk. */
  async keep(outcomes: Iterable<NewOutcome> = this.#since.keys()): Promise<void> {
    const all = [...outcomes];
    const fresh = all.filter((outcome) => this.#since.delete(outcome));
    if (fresh.length > 0) this.#write(fresh);
    await Promise.all(all.map((outcome) => this.#files.get(outcome)?.name));
  }

  #write(outcomes: readonly NewOutcome[]): void {
    const lines = outcomes.map(({ attempt, outcome, made }) => ({ attempt, outcome, made }));
    const file = { name: this.#outbox.keep(lines), left: outcomes.length };
    for (const outcome of outcomes) this.#files.set(outcome, file);
    file.name.catch(() => {
      for (const outcome of outcomes) if (this.#files.delete(outcome)) this.add(outcome);
    });
  }

  /** Removes outcomes from the outbox: the server has stored or refused them. */
  async remove(outcomes: readonly NewOutcome[]): Promise<void> {
    for (const outcome of outcomes) {
      this.#since.delete(outcome);
      const file = this.#files.get(outcome);
      this.#files.delete(outcome);
      if (file && (file.left -= 1) === 0) {
        await file.name.then(
          (name) => this.#outbox.discard(name),
          () => {},
        );
      }
    }
  }

  /** Leaves outcomes in the outbox, for the next lectern here. */
  leave(outcomes: readonly NewOutcome[]): void {
    for (const outcome of outcomes) this.#files.delete(outcome);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closed;
    for (;;) {
      const [oldest] = this.#since.values();
      if (oldest === undefined || signal.aborted) return;
      const left = oldest + IN_MEMORY_MS - this.#clock.monotonic();
      if (left > 0) await sleepUnlessAborted(this.#clock, left, signal);
      // A failed write is repeated later.
      else await this.keep().catch(() => {});
    }
  }
}
