import { rename } from 'node:fs/promises';
import { platform } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** What Windows answers while another program, such as a virus scanner, has one of the files open. */
const IN_USE = ['EPERM', 'EBUSY', 'EACCES'];

/** They add up to about a second. */
const WAITS_MS: readonly number[] = [10, 20, 50, 100, 200, 300, 400];

/** Renames a file; on Windows again for a while where one of the two is in use. */
export async function renameFile(
  from: string,
  to: string,
  waits = platform() === 'win32' ? WAITS_MS : [],
): Promise<void> {
  for (const wait of waits) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (!IN_USE.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
    await pause(wait);
  }
  await rename(from, to);
}
