import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type Vary, varyText } from '../freedom/vary.ts';
import { PRIVATE_MODE } from '../../disk/private-file.ts';
import { HttpError, type PlainRequest } from '../http/messages.ts';
import { causeText } from '../store/database.ts';
import { privateFolder } from './export.ts';
import { readOlderExport } from './older-export.ts';
import { checkSession } from './session-check.ts';
import type { EmulatorState } from './state.ts';

/** The ports stay those of this machine. */
const STAY = ['ports'];

/**
 * Replaces all state with an export: it is received completely, checked, and copied in one commit. A
 * damaged one is refused and changes nothing.
 */
export async function importState(state: EmulatorState, body: PlainRequest['body']): Promise<void> {
  const { folder, remove } = await privateFolder();
  try {
    const file = join(folder, 'import.db');
    refuseOtherVary(state, await receive(body, file));
    await state.store.replaceBy(file, STAY);
    state.tokens.forget();
    state.timestamps.forget();
  } finally {
    await remove();
  }
}

/** Receives an export; resolves with the freedoms that it was made with. */
async function receive(body: PlainRequest['body'], file: string): Promise<Vary | undefined> {
  const chunks = (body instanceof Uint8Array ? Readable.from([body]) : body)[
    Symbol.asyncIterator
  ]();
  try {
    const first = await chunks.next();
    const all = untilEnd(chunks, first);
    if (isDatabase(first.value as Uint8Array | undefined)) await writeFile(all, file);
    else await readOlderExport(all, file);
    return checkSession(file);
  } catch (error) {
    // The caller must have sent everything before it reads the response.
    void dropRest(chunks);
    if (error instanceof HttpError || isOfMachine(error)) throw error;
    const message = `not a valid export: ${causeText(error)}; nothing was changed`;
    throw new HttpError(422, 'import.damaged', message);
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

async function writeFile(chunks: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  const file = await open(path, 'wx', PRIVATE_MODE);
  try {
    for await (const chunk of chunks) await file.write(chunk);
  } finally {
    await file.close();
  }
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
