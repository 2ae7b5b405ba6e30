import type { Client } from '../client/index.ts';
import { systemClock } from '../clock.ts';
import {
  type Claims,
  type RowKind,
  type RowName,
  checkKey,
  kindOf,
  readLaunch,
} from '../contract/index.ts';
import { InvalidError } from '../errors.ts';
import type { Clock, Disk } from '../ports.ts';
import { toFindings } from '../validator/finding.ts';

/** The files of one row, and what is needed to transfer them ("Files of a row"). */
export interface FileSet {
  readonly client: Client;
  /** The opaque URL of the file set, as a launch carries it. */
  readonly url: string;
  readonly disk: Disk;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Cancels transfers in progress; those that have not begun are then `not_done`. */
  readonly signal: AbortSignal;
  /** Decides the quota; if undefined, only what is certain for every row is checked. */
  readonly kind?: RowKind | undefined;
  /** What a command line has for these files, for hints; `ROW` by default. */
  readonly label?: string | undefined;
}

/**
 * The files of a row of a launch. Nothing is sent.
 *
 * @throws {InvalidError} `launch.claim_missing`: the launch has no such files
 * @example
 * const files = openFiles(client, claims, 'location', { disk: createDisk() });
 */
export function openFiles(
  client: Client,
  claims: Claims,
  name: RowName,
  options: Pick<FileSet, 'disk'> & Partial<Pick<FileSet, 'clock' | 'signal'>>,
): FileSet & { readonly kind: RowKind } {
  const url = readLaunch(claims).files[name];
  if (url === undefined) {
    throw new InvalidError(`the launch has no files.${name}`, { code: 'launch.claim_missing' });
  }
  const { disk, clock = systemClock, signal = new AbortController().signal } = options;
  return { client, url, disk, clock, signal, kind: kindOf(name) };
}

/** Whether a text can be the key of a file ("File (listing item)"). */
export function isKey(text: string): boolean {
  return checkKey(text).length === 0;
}

/** Refuses an invalid key: in a URL, `..` would address something else. Throws `InvalidError`. */
export function refuseBadKey(key: string): void {
  const findings = toFindings(checkKey(key));
  const [first] = findings;
  if (first) throw new InvalidError(first.message, { findings });
}
