import { readFile } from 'node:fs/promises';
import { FILE_SIZE } from '../../../contract/index.ts';
import { guessMimetype } from '../../../contract/mimetype.ts';
import * as s from '../../../schema/schema.ts';
import type { EmulatedRow } from '../row-table.ts';
import { rowOfKey } from '../rows.ts';
import { FILE_KEY, type StoredFile } from '../records.ts';
import type { EmulatorState } from '../state.ts';
import { ROW_KEY } from '../world.ts';

const FILE = s.closed(
  s.object({
    key: FILE_KEY,
    size: s.described(s.integerIn(0, FILE_SIZE.bytes), 'bytes; without a path they are zeros'),
    'content_type?': s.described(s.text, 'guessed from the key without it'),
    'modified?': s.described(s.count, 'milliseconds since the epoch'),
    'path?': s.described(s.nonEmptyText, 'a file with the bytes, relative to the seed'),
  }),
);

/** A row that has data or files at the start. */
export const SEED_ROW = s.closed(
  s.object({
    row: ROW_KEY,
    'data?': s.either(s.anyObject, s.text, 'an object, or the text of one where each byte counts'),
    'files?': s.list(FILE),
  }),
);
export type SeedRow = s.Static<typeof SEED_ROW>;
type SeedFile = s.Static<typeof FILE>;

/** The bytes of a row's data as they are stored. */
export function rowBytes(data: NonNullable<SeedRow['data']>): Uint8Array {
  return Buffer.from(typeof data === 'string' ? data : JSON.stringify(data));
}

/** Writes the rows of a seed, and the records of their files. */
export function applyRows(state: EmulatorState, rows: readonly SeedRow[]): void {
  for (const { row: key, data, files = [] } of rows) {
    // The check of the seed has found it.
    const row = rowOfKey(state, key) as EmulatedRow;
    if (data === undefined) state.rows.open(row);
    else state.rows.write(row, rowBytes(data), 'start');
    for (const file of files) state.files.put(recordOf(state, key, file));
  }
}

function recordOf(state: EmulatorState, row: string, file: SeedFile): StoredFile {
  return {
    row,
    content_type: guessMimetype(file.key),
    filename: file.key,
    attachment: false,
    blob: state.newId(),
    modified: state.clock.now(),
    has_no_bytes: true,
    ...file,
  };
}

/** Stores the bytes of files that a seed has a path of. A file that is gone stays zeros. */
export async function storeSeedFiles(
  state: EmulatorState,
  rows: readonly SeedRow[],
): Promise<void> {
  for (const { row, files = [] } of rows) {
    for (const { key, path } of files) {
      const stored = state.files.get(row, key);
      const bytes = path === undefined ? undefined : await readFile(path).catch(() => undefined);
      if (stored === undefined || bytes?.length !== stored.size) continue;
      await state.blobs.store(stored.blob, (write) => write(bytes));
      state.files.put({ ...stored, has_no_bytes: false });
    }
  }
}
