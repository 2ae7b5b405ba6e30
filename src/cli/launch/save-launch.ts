import { addressesOf, type Claims, launchOrigin, readLaunch } from '../../contract/index.ts';
import { checkName } from '../arguments/names.ts';
import { UsageError } from '../../errors.ts';
import type { Runtime } from '../runtime.ts';
import type { SavedLaunch } from '../saved.ts';

/** What is to be kept, and how. */
export interface NewLaunch {
  readonly name: string;
  readonly claims: Claims;
  /** Where the token may be sent; told by the claims unless given. */
  readonly origin?: string | undefined;
  /** Replace what has the name. */
  readonly force?: boolean | undefined;
}

/**
 * Keeps a launch or provision request by name. Where none is in use yet, it becomes the one in use.
 * Throws `UsageError` for a bad name, or one that is taken.
 */
export async function saveLaunch(
  runtime: Runtime,
  keeping: NewLaunch,
): Promise<{ saved: SavedLaunch; current: boolean }> {
  const { name, claims, force } = keeping;
  await refuseTakenName(runtime, name, force);
  const origin = keeping.origin ?? launchOrigin(readLaunch(claims));
  const saved = { name, claims, origin, saved: new Date(runtime.now()).toISOString() };
  const settings = await runtime.settings();
  const inUse = settings.get('currentLaunch');
  await (await runtime.launches()).save(saved);
  if (inUse === undefined) await settings.set('currentLaunch', name);
  return { saved, current: inUse === undefined || inUse === name };
}

/** Refuses a name that cannot be one, or that is taken. */
export async function refuseTakenName(
  runtime: Runtime,
  name: string,
  force: boolean | undefined,
): Promise<void> {
  checkName(name);
  if (force || !(await (await runtime.launches()).names()).includes(name)) return;
  throw new UsageError(
    `a launch named ${name} is already saved`,
    'use another name, or --force to replace it',
  );
}

/** Whether claims hold anything that a command could use. */
export function isUsable(claims: Claims): boolean {
  const launch = readLaunch(claims);
  return launch.token !== undefined || addressesOf(launch).length > 0;
}
