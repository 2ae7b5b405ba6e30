import { readFile } from 'node:fs/promises';
import { FILE_SIZE } from '../../../contract/index.ts';
import { guessMimetype } from '../../../contract/mimetype.ts';
import * as s from '../../../schema/schema.ts';
import { type Blobs, KEPT } from '../../store/blobs.ts';
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
    for (const file of files) {
      const record = recordOf(state, key, file);
      const hasBytes = state.blobs.copy(keptId(key, file), record.blob, file.size);
      state.files.put({ ...record, has_no_bytes: !hasBytes });
    }
  }
}

function recordOf(
  state: EmulatorState,
  row: string,
  file: SeedFile,
): Omit<StoredFile, 'has_no_bytes'> {
  return {
    row,
    content_type: guessMimetype(file.key),
    filename: file.key,
    attachment: false,
    blob: state.newId(),
    modified: state.clock.now(),
    ...file,
  };
}

/** The ID of the blob that a reset copies the bytes of a file from. */
function keptId(row: string, { key }: SeedFile): string {
  return `${KEPT}${row}/${key}`;
}

/**
 * Keeps the bytes of the files that a seed has a path of, in place of those of an earlier seed. Paths
 * are read here alone: a seed that is imported may be a stranger's.
 */
export async function keepSeedFiles(blobs: Blobs, rows: readonly SeedRow[]): Promise<void> {
  blobs.forgetKept();
  for (const { row, files = [] } of rows) {
    for (const file of files) {
      const { path } = file;
      if (path === undefined) continue;
      await blobs.store(keptId(row, file), async (write) => write(await readFile(path)));
    }
  }
}
