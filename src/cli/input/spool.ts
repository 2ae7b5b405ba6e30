import type { Disk, TemporaryFile } from '../../ports.ts';

/** Writes data of unknown size to a temporary file, which the caller discards. */
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
