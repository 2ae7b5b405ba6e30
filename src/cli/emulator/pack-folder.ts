import { buffer } from 'node:stream/consumers';
import { HOSTED_TOOL_WHOLE } from '../../contract/index.ts';
import { toolFilesBelow } from '../input/tool-folder.ts';
import type { CommandDisk } from '../runtime.ts';

/** A fixed time, so that the same files give the same zip. */
const TIME = new Date(Date.UTC(2000, 0, 1));

const LEAVE_OUT = { leaveOut: () => {} };

/**
 * Packs the folder of a hosted tool into a zip in memory, without links and names that begin with a
 * dot.
 */
export async function packFolder(disk: CommandDisk, folder: string): Promise<Buffer> {
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  for await (const { name, path, isLink } of toolFilesBelow(disk, folder, LEAVE_OUT)) {
    if (isLink) continue;
    const bytes = await disk.readFile(path, HOSTED_TOOL_WHOLE.bytes);
    zip.addBuffer(Buffer.from(bytes), name, { mtime: TIME });
  }
  zip.end();
  return buffer(zip.outputStream);
}
