import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Database } from '../../sqlite/database.ts';
import type { Exchanges } from '../review/exchanges.ts';
import { TRAFFIC_SCHEMA } from '../review/stored-exchange.ts';
import type { EmulatorState } from '../state/state.ts';
import { redactSession } from './redact.ts';

/** The media type of a session: the database of an emulator, with its traffic in tables of the same file. */
export const SESSION_TYPE = 'application/vnd.sqlite3' as const;

/** The setting with the time at which a session was exported, by the emulator's clock. */
export const EXPORTED = 'exported';

/** What stays on its machine: no part of a session. */
export const STAYS = ['ports'];

/** A private folder, and how it is removed. */
export async function privateFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-emulator-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** All state and the traffic at this moment, as the bytes of a database. */
export async function exportSession(
  state: EmulatorState,
  exchanges: Exchanges,
  { redact = false },
): Promise<Readable> {
  const { folder, remove } = await privateFolder();
  const file = join(folder, 'session.db');
  try {
    state.tokens.storeCalls();
    const at = new Date(state.clock.now()).toISOString();
    await state.store.copyTo(file);
    const database = new Database(file);
    try {
      // A copy that is lost with its process need not wait for the disk.
      database.execute('PRAGMA synchronous = OFF');
      for (const table of STAYS) database.write(`DELETE FROM ${table}`);
      database.write('INSERT OR REPLACE INTO settings VALUES (?, ?)', [
        EXPORTED,
        JSON.stringify(at),
      ]);
      database.execute(TRAFFIC_SCHEMA);
      if (redact) redactSession(database, state.redact);
    } finally {
      database.close();
    }
    await exchanges.copyTo(file);
  } catch (error) {
    await remove();
    throw error;
  }
  return createReadStream(file).once('close', () => void remove().catch(() => {}));
}
