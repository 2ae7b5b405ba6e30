import { addressesOf, type Claims, launchOrigin, readLaunch } from '../../contract/index.ts';
import type { Runtime } from '../runtime.ts';
import type { SavedLaunch } from '../saved.ts';
import { refuseTaken } from '../arguments/names.ts';

export interface NewLaunch {
  readonly name: string;
  readonly claims: Claims;
  /** The origin that the token may be sent to; by default, that of the claims. */
  readonly origin?: string | undefined;
  /** Replaces an entry with the same name. */
  readonly force?: boolean | undefined;
}

/**
 * Saves a launch or provision request. If none is in use yet, it becomes the one in use. Throws
 * `UsageError` for an invalid or taken name.
 */
export async function saveLaunch(
  runtime: Runtime,
  keeping: NewLaunch,
): Promise<{ saved: SavedLaunch; current: boolean; secretFile: string | undefined }> {
  const { claims, force } = keeping;
  await refuseTakenName(runtime, keeping.name, force);
  const origin = keeping.origin ?? launchOrigin(readLaunch(claims));
  const entry = {
    name: keeping.name,
    claims,
    origin,
    saved: new Date(runtime.now()).toISOString(),
  };
  const settings = await runtime.settings();
  const inUse = settings.get('currentLaunch');
  const { name, secretFile } = await (await runtime.launches()).save(entry);
  if (inUse === undefined) await settings.set('currentLaunch', name);
  const current = inUse === undefined || inUse === name;
  return { saved: { ...entry, name }, current, secretFile };
}

/** Refuses an invalid name, or one that is taken. */
export async function refuseTakenName(
  runtime: Runtime,
  name: string,
  force: boolean | undefined,
): Promise<void> {
  await refuseTaken(await runtime.launches(), 'launch', name, force);
}

/** Whether claims contain anything that a command could use. */
export function isUsable(claims: Claims): boolean {
  const launch = readLaunch(claims);
  return launch.token !== undefined || addressesOf(launch).length > 0;
}
