import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type Vary, varyText } from '../freedom/vary.ts';
import { checkPlainFile } from '../../disk/plain-file.ts';
import { PRIVATE_MODE } from '../../disk/private-file.ts';
import { HttpError, type PlainRequest } from '../http/messages.ts';
import { causeText } from '../store/database.ts';
import { Database } from '../../sqlite/database.ts';
import { MAX_REQUESTS } from '../service/external/provision-calls.ts';
import { Exchanges } from '../review/exchanges.ts';
import type { EmulatorState } from '../state/state.ts';
import { Store } from '../store/store.ts';
import { checkSession, type SessionFacts } from './check.ts';
import { privateFolder, STAYS } from './export.ts';
import { readOlderExport } from './older-export.ts';
import { renewKeys } from './redact.ts';

/**
 * Replaces all state and the traffic by those of a session: it is received completely, checked, and the
 * state is copied in one commit. A damaged one is refused and changes nothing.
 */
export async function importSession(
  state: EmulatorState,
  exchanges: Exchanges,
  body: PlainRequest['body'],
): Promise<void> {
  await received(body, async (file, { vary }) => {
    refuseOtherVary(state, vary);
    await state.store.replaceBy(file, STAYS);
    await exchanges.replaceBy(file);
  });
  state.tokens.forget();
  state.timestamps.forget();
  renewKeys(state);
}

/** A session that was opened to be looked at. */
interface OpenSession {
  readonly store: Store;
  readonly exchanges: Exchanges;
  readonly exported: number | undefined;
}

/** Copies the file of a session into temporary databases; it is read only. Rejects as an import does. */
export async function openSessionFile(path: string): Promise<OpenSession> {
  checkPlainFile(path);
  // A stream of a path reports a missing file on its own, before anything reads from it.
  const session = await open(path);
  return received(session.createReadStream(), async (file, { exported }) => {
    const store = Store.open(TEMPORARY);
    await store.replaceBy(file, STAYS);
    const exchanges = new Exchanges();
    await exchanges.replaceBy(file);
    return { store, exchanges, exported };
  });
}

/** SQLite keeps such a database in memory while it is small. */
const TEMPORARY = '';

/** Receives a session into a private file, checks it, and works with it. */
async function received<Result>(
  body: PlainRequest['body'],
  work: (file: string, facts: SessionFacts) => Promise<Result>,
): Promise<Result> {
  const { folder, remove } = await privateFolder();
  try {
    const file = join(folder, 'import.db');
    return await work(file, await receive(body, file));
  } finally {
    await remove();
  }
}

/** Receives a session; resolves with what it was made with. */
async function receive(body: PlainRequest['body'], file: string): Promise<SessionFacts> {
  const chunks = (body instanceof Uint8Array ? Readable.from([body]) : body)[
    Symbol.asyncIterator
  ]();
  try {
    const first = await chunks.next();
    const all = untilEnd(chunks, first);
    if (isDatabase(first.value as Uint8Array | undefined))
      await writeFile(file, all, { flag: 'wx', mode: PRIVATE_MODE });
    else await readOlderExport(all, file);
    const facts = await checkSession(file);
    askNoMore(file);
    return facts;
  } catch (error) {
    // The caller must have sent everything before it reads the response.
    void dropRest(chunks);
    if (error instanceof HttpError || isOfMachine(error)) throw error;
    const message = `not a valid export: ${causeText(error)}; nothing was changed`;
    throw new HttpError(422, 'import.damaged', message);
  }
}

/** The servers of a session's tools may be another person's: they are asked to provision no more. */
function askNoMore(file: string): void {
  const database = new Database(file);
  try {
    database.write('UPDATE provision_calls SET requests = ?', [MAX_REQUESTS]);
  } finally {
    database.close();
  }
}

/** The addresses that an export handed out have the shapes of its seed. */
function refuseOtherVary({ vary }: EmulatorState, kept: Vary | undefined): void {
  const own = kept && varyText(kept);
  if (own === (vary && varyText(vary))) return;
  const made = own === undefined ? 'without --vary' : `with --vary ${own}`;
  const way = `import it into an emulator that was started ${made}`;
  const message = `the export was made ${made}: ${way}; nothing was changed`;
  throw new HttpError(422, 'import.vary', message);
}

const MAGIC = 'SQLite format 3\0';

function isDatabase(first: Uint8Array | undefined): boolean {
  return Buffer.from(first ?? []).toString('latin1', 0, MAGIC.length) === MAGIC;
}

/** All chunks. Ending it early would end the connection too, without this. */
async function* untilEnd(
  chunks: AsyncIterator<Uint8Array>,
  first: IteratorResult<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (let next = first; !next.done; next = await chunks.next()) yield next.value;
}

/** The caller may disconnect. */
async function dropRest(chunks: AsyncIterator<Uint8Array>): Promise<void> {
  try {
    while (!(await chunks.next()).done);
  } catch {
    // The caller disconnected.
  }
}

/** Whether an error is one of the disk, or of a caller that disconnected. */
function isOfMachine(error: unknown): boolean {
  const { code = 'ERR_SQLITE_ERROR' } = error as NodeJS.ErrnoException;
  return code !== 'ERR_SQLITE_ERROR';
}
