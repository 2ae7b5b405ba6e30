import { join } from 'node:path';
import type { Runtime } from '../runtime.ts';

/*
 * The files of the launches that `emulator env` mints, one for each role. They are stored next to
 * the records of emulators, and are as secret.
 */

const PREFIX = 'launch-';

/** Whether a file of that folder has a launch. */
export function isLaunchFile(name: string): boolean {
  return name.startsWith(PREFIX);
}

/** The file of the launch of a role, which the next one replaces. */
export async function launchFileFor(runtime: Runtime, url: string, role: string): Promise<string> {
  const disk = await runtime.disk();
  return disk.absolute(`${await folderOf(runtime)}/${PREFIX}${role}${endOf(url)}`);
}

/** Removes the launches of an emulator that no longer has them. */
export async function removeLaunchFiles(runtime: Runtime, url: string): Promise<void> {
  const disk = await runtime.disk();
  const folder = await folderOf(runtime);
  const names = await disk.listFolder(folder);
  const own = names.filter((name) => isLaunchFile(name) && name.endsWith(endOf(url)));
  for (const name of own) await disk.remove(join(folder, name));
}

async function folderOf(runtime: Runtime): Promise<string> {
  return join((await runtime.home()).data, 'emulators');
}

function endOf(url: string): string {
  return `-${new URL(url).host.replace(/[^\w.]/g, '_')}.json`;
}
