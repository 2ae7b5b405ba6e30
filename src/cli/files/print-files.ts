import type { FileRecord } from '../../contract/index.ts';
import { type BatchEvents, runPhases, type ItemResult } from '../../transfer/batch.ts';
import { fetchFile, restart, withTemporary } from '../../transfer/download.ts';
import type { FileSet } from '../../transfer/file-set.ts';
import type { ProgressListener } from '../../transfer/upload.ts';
import type { Runtime } from '../runtime.ts';
import { writeRaw } from '../ui.ts';

/** Writes files to standard output one after the other, each only after it was received completely. */
export async function printFiles(
  runtime: Runtime,
  fileSet: FileSet,
  keys: readonly string[],
  events: BatchEvents<string, FileRecord>,
): Promise<readonly ItemResult<string, FileRecord>[]> {
  const options = { concurrency: 1, signal: fileSet.signal, ...events };
  return runPhases([keys], options, (key) =>
    printFile(runtime, fileSet, key, (bytes, size) => events.onProgress?.(key, bytes, size)),
  );
}

async function printFile(
  runtime: Runtime,
  fileSet: FileSet,
  key: string,
  onProgress: ProgressListener,
): Promise<FileRecord> {
  const { stdout } = runtime;
  const decoder = new TextDecoder();
  const { disk } = fileSet;
  return withTemporary(disk, undefined, async (file) => {
    const record = await fetchFile(fileSet, key, onProgress, () => restart(file));
    const opened = await disk.openFile(file.path, await file.pathInfo());
    try {
      for await (const chunk of opened.chunks()) {
        if (stdout.broken) break;
        const text = stdout.isTerminal ? decoder.decode(chunk, { stream: true }) : chunk;
        await writeRaw(runtime, text);
      }
    } finally {
      await opened.close();
    }
    if (stdout.fault) throw stdout.fault;
    return record;
  });
}
