import { nearest } from '../../contract/nearest.ts';
import { refuseSecret } from '../arguments/secrets.ts';
import { UsageError } from '../../errors.ts';
import { refuseTaken } from '../arguments/names.ts';
import type { Runtime } from '../runtime.ts';
import type { SavedLaunch } from '../saved.ts';
import { type Claims, launchOrigin, readLaunch } from '../../contract/index.ts';

/**
 * The saved launch with a name, without its token; an unknown name is a usage error with the
 * nearest known one.
 */
export async function savedLaunch(runtime: Runtime, given: string): Promise<SavedLaunch> {
  const name = await savedName(runtime, given);
  return (await (await runtime.launches()).find(name)) ?? unknown(name, []);
}

/** The name of a saved launch, which may be damaged; an unknown one is a usage error. */
export async function savedName(runtime: Runtime, name: string): Promise<string> {
  refuseSecret(name);
  const launches = await runtime.launches();
  return (await launches.spelling(name)) ?? unknown(name, await launches.names());
}

function unknown(name: string, names: readonly string[]): never {
  throw new UsageError(
    `no saved launch named ${JSON.stringify(name)}`,
    names.length === 0 ? 'save one with: lectern launch save NAME FILE' : nearest(name, names),
  );
}

interface NewLaunch {
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
  const launches = await runtime.launches();
  const isNew = (await launches.spelling(keeping.name)) === undefined;
  const { name, secretFile } = await launches.save(entry);
  try {
    if (inUse === undefined) await settings.set('currentLaunch', name);
  } catch (error) {
    // It is saved and in use, or neither.
    if (isNew) await launches.remove(name);
    throw error;
  }
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
