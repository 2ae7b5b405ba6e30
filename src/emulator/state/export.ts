import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { EmulatorState } from './state.ts';

/** The media type of an export, which is the database of an emulator. */
export const EXPORT_TYPE = 'application/vnd.sqlite3' as const;

/** A private folder, and how it is removed. */
export async function privateFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-emulator-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** All state at this moment, as the bytes of a database. */
export async function exportState({ store, tokens }: EmulatorState): Promise<Readable> {
  const { folder, remove } = await privateFolder();
  const file = join(folder, 'export.db');
  try {
    tokens.storeCalls();
    await store.copyTo(file);
  } catch (error) {
    await remove();
    throw error;
  }
  return createReadStream(file).once('close', () => void remove().catch(() => {}));
}
