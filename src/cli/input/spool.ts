import type { Disk, TemporaryFile } from '../../ports.ts';

/** Keeps on disk what has no size that is known before its end. The caller discards the file. */
export async function spool(disk: Disk, chunks: AsyncIterable<Uint8Array>): Promise<TemporaryFile> {
  const file = await disk.temporaryFile();
  try {
    for await (const chunk of chunks) await file.write(chunk);
    return file;
  } catch (error) {
    await file.discard();
    throw error;
  }
}
