import type { Client } from '../client/index.ts';
import { InterruptedError } from '../errors.ts';
import type { Clock, Disk } from '../ports.ts';

/** The files of one row, and what moving them takes ("Files of a row"). */
export interface FileSet {
  readonly client: Client;
  /** The opaque URL of the file set, as a launch carries it. */
  readonly url: string;
  readonly disk: Disk;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Ends what is under way; what has not begun is then not done. */
  readonly signal: AbortSignal;
}

/** Waits, unless the signal comes first: throws `InterruptedError` then. */
export async function pause({ clock, signal }: FileSet, ms: number): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    throw new InterruptedError('interrupted', undefined, { cause: error });
  }
}
