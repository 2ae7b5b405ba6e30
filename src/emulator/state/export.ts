import { createHash } from 'node:crypto';
import type { EmulatorState } from './state.ts';
import { storeLastCalls } from './tokens.ts';
import { blobsOf } from './files.ts';
import { ID, ROW_KEY } from './world.ts';
import * as s from '../../schema/schema.ts';

export const FORMAT = 'lectern emulator export';
export const VERSION = 1;

/**
 * An export is lines of JSON: a head, then each record, row, attempt and piece of a file, and at the
 * end the number of lines and their SHA-256, so that an incomplete or changed one is detected. Each
 * kind has a field that only it has.
 */
export const LINES = {
  format: s.object({ format: s.oneOf(FORMAT), version: s.anyNumber, exported: s.text }),
  collection: s.object({ ...s.texts('collection', 'id'), item: s.any }),
  row: s.object({ row: ROW_KEY, body: s.text }),
  attempt: s.object({
    attempt: s.anyObject,
    submitted: s.integerIn(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    location: ID,
    member: ID,
    payload: s.text,
  }),
  /** A piece of a file's bytes in Base64; the pieces of one file are consecutive, in order. */
  blob: s.object(s.texts('blob', 'bytes')),
  end: s.object({ end: s.oneOf(true), lines: s.anyNumber, sha256: s.text }),
};
export type ExportLine = {
  [Kind in keyof typeof LINES]: s.Static<(typeof LINES)[Kind]>;
}[keyof typeof LINES];

/** Collections that belong to this machine rather than to the state: the ports, and the report. */
const MACHINE_SETTINGS: ReadonlySet<string> = new Set(['ports', 'tool_ports', 'report']);

export function isMachineSetting(collection: string): boolean {
  return MACHINE_SETTINGS.has(collection);
}

/** Aborts an export, which its reader detects. */
class ExportError extends Error {
  override readonly name = 'ExportError';
}

/** A snapshot of all state, as the bytes of an export. */
export async function* exportState(state: EmulatorState): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let lines = 0;
  for await (const line of exportLines(state)) {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    hash.update(bytes);
    lines++;
    yield bytes;
  }
  const end: ExportLine = { end: true, lines, sha256: hash.digest('hex') };
  yield Buffer.from(`${JSON.stringify(end)}\n`);
}

async function* exportLines(state: EmulatorState): AsyncGenerator<ExportLine> {
  const { store, clock } = state;
  storeLastCalls(state);
  // Writes of this turn could still be rolled back.
  while (store.hasOpenWrites) await store.whenDurable();
  const records = store.records();
  const blobs = blobsOf(state);
  const lastAttempt = store.attempts.lastSequence();
  const rows = store.snapshotRows();
  const release = state.blobs.hold();
  try {
    yield { format: FORMAT, version: VERSION, exported: new Date(clock.now()).toISOString() };
    for (const { collection, id, json } of records) {
      if (!isMachineSetting(collection))
        yield { collection, id, item: JSON.parse(json) as unknown };
    }
    for (const key of rows.keys) {
      if (!rows.isWhole) throw new ExportError('the state was replaced during the export');
      yield { row: key, body: Buffer.from(rows.row(key)).toString() };
    }
    yield* attemptLines(state, lastAttempt);
    for (const blob of blobs) yield* blobLines(state, blob);
    if (!rows.isWhole) throw new ExportError('the state was replaced during the export');
  } finally {
    store.endSnapshot(rows);
    release();
  }
}

const ATTEMPTS_PER_PAGE = 500;

function* attemptLines({ store }: EmulatorState, last: number): Generator<ExportLine> {
  for (let sequence = 0; sequence < last;) {
    const page = store.attempts.after(sequence, ATTEMPTS_PER_PAGE);
    for (const { json, sequence: next, ...more } of page) {
      sequence = next;
      if (sequence > last) return;
      yield { attempt: JSON.parse(json) as Record<string, unknown>, ...more };
    }
    if (page.length === 0) return;
  }
}

async function* blobLines({ blobs }: EmulatorState, blob: string): AsyncGenerator<ExportLine> {
  const bytes = await blobs.read(blob);
  if (bytes === undefined) throw new ExportError('the bytes of a file are missing');
  // An empty file has a piece too, so that it exists.
  yield { blob, bytes: '' };
  for await (const chunk of bytes) {
    yield { blob, bytes: Buffer.from(chunk).toString('base64') };
  }
}
