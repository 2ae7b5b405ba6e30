import { dirname } from 'node:path';
import { NoAnswer } from '../../client/index.ts';
import type { FileRecord } from '../../contract/index.ts';
import type { Runtime } from '../runtime.ts';
import type { TemporaryFile } from '../../ports.ts';
import { writeRaw } from '../ui.ts';
import { pause } from '../shared/pause.ts';
import { patiently } from './retry.ts';
import { isExpired, type Transfer } from './upload-file.ts';

/**
 * Reads a file into `path`: whole, of the recorded size and with the recorded date, or not at all.
 * `check` is called right before, and throws where what stands in its place must stay. Throws what
 * the client and `check` throw.
 */
export async function downloadFile(
  transfer: Transfer,
  key: string,
  path: string,
  check: () => Promise<void>,
): Promise<FileRecord> {
  return withTemporary(transfer.runtime, dirname(path), async (file) => {
    const record = await fetchFile(transfer, key, () => into(file));
    await file.seal(Number.isFinite(record.modified) ? record.modified : undefined);
    await check();
    await file.moveTo(path);
    return record;
  });
}

/** Writes a file to standard output, and nothing of it before it is whole. */
export async function printFile(transfer: Transfer, key: string): Promise<FileRecord> {
  const { runtime } = transfer;
  const { stdout } = runtime;
  const decoder = new TextDecoder();
  const disk = await runtime.disk();
  return withTemporary(runtime, undefined, async (file) => {
    const record = await fetchFile(transfer, key, () => into(file));
    const opened = await disk.openFile(file.path, await file.facts());
    try {
      for await (const chunk of opened.chunks()) {
        if (stdout.broken) break;
        await writeRaw(
          runtime,
          stdout.isTerminal ? decoder.decode(chunk, { stream: true }) : chunk,
        );
      }
    } finally {
      await opened.close();
    }
    if (stdout.fault) throw stdout.fault;
    return record;
  });
}

/** A temporary file for as long as the work takes. */
async function withTemporary<Value>(
  runtime: Runtime,
  folder: string | undefined,
  work: (file: TemporaryFile) => Promise<Value>,
): Promise<Value> {
  const file = await (await runtime.disk()).temporaryFile(folder);
  try {
    return await work(file);
  } finally {
    await file.discard();
  }
}

async function into(file: TemporaryFile): Promise<TemporaryFile['write']> {
  await file.restart();
  return file.write;
}

const MAX_TRIES = 3;
const WAIT_MS = 300;

/**
 * Reads a file, each try from the record on: a fresh address, and the size that holds now. `begin`
 * is called for each try and gives what takes the bytes.
 */
export async function fetchFile(
  transfer: Transfer,
  key: string,
  begin: () => Promise<(chunk: Uint8Array) => void | Promise<void>>,
): Promise<FileRecord> {
  const { runtime, client, filesUrl, moved } = transfer;
  const attempt = async (): Promise<FileRecord> => {
    const { record } = await client.fileRecord(filesUrl, key);
    const accept = await begin();
    let size = 0;
    moved(size, record.size);
    const take = async (chunk: Uint8Array): Promise<void> => {
      await accept(chunk);
      size += chunk.length;
      moved(size, record.size);
    };
    await client.downloadFile(record.url, { length: record.size, take });
    return record;
  };
  for (let tries = 1; ; tries += 1) {
    try {
      return await patiently(runtime, attempt);
    } catch (error) {
      if (tries === MAX_TRIES || !mayPass(error)) throw error;
      if (!isExpired(error)) await pause(runtime, WAIT_MS * tries);
    }
  }
}

/** Whether another try may go better: an address that was too old, an answer that was cut. */
function mayPass(error: unknown): boolean {
  if (isExpired(error)) return true;
  const lasting = ['interrupted', 'timeout', 'redirect'];
  return error instanceof NoAnswer && !lasting.includes(error.reason);
}
