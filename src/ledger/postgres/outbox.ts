import { createHash, randomUUID } from 'node:crypto';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../disk/make-folder.ts';
import { readPlainFile } from '../../disk/plain-file.ts';
import type { Outcome } from '../ledger.ts';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const MOST_BYTES = 256 << 20;

/** What became of an attempt, by its number in the ledger. */
interface Kept {
  readonly attempt: number;
  readonly outcome: Outcome;
}

/**
 * Answers that the server could not take yet, in files of this machine: each is written whole, and
 * never changed, so that any lectern here may deliver it. To deliver one twice does no harm.
 */
export class Outbox {
  readonly #folder: string;

  /** `ledger` tells the ledgers apart that have an outbox in the same folder. */
  constructor(folder: string, ledger: string) {
    const digest = createHash('sha256').update(ledger).digest('hex').slice(0, 16);
    this.#folder = join(folder, digest);
  }

  /** Resolves with the file, once that is on the disk. */
  async keep(outcomes: readonly Kept[]): Promise<string> {
    makeFolder(this.#folder, FOLDER_MODE);
    const file = join(this.#folder, `${randomUUID()}.ndjson`);
    const unfinished = `${file}.part`;
    const handle = await open(unfinished, 'wx', FILE_MODE);
    try {
      const lines = outcomes.map(({ attempt, outcome }) => JSON.stringify({ attempt, outcome }));
      await handle.writeFile(`${lines.join('\n')}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
    const folder = await open(this.#folder, 'r');
    await folder.sync().finally(() => folder.close());
    return file;
  }

  async discard(file: string): Promise<void> {
    await rm(file, { force: true });
  }

  /** Gives every file that waits to `deliver`, and removes those that were taken. */
  async deliver(deliver: (outcomes: readonly Kept[]) => Promise<void>): Promise<number> {
    const names = await readdir(this.#folder).catch(() => []);
    let count = 0;
    for (const name of names.filter((each) => each.endsWith('.ndjson'))) {
      const file = join(this.#folder, name);
      const bytes = await readPlainFile(file, MOST_BYTES);
      const lines = new TextDecoder()
        .decode(bytes)
        .split('\n')
        .filter((line) => line !== '');
      await deliver(lines.map((line) => JSON.parse(line) as Kept));
      await this.discard(file);
      count += lines.length;
    }
    return count;
  }
}
