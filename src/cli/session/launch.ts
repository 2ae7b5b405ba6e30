import { claimsFromText, type Launch, launchOrigin, readLaunch } from '../../contract/index.ts';
import { isName } from '../arguments/names.ts';
import { nearest } from '../../validator/nearest.ts';
import { refuseSecret } from '../arguments/secrets.ts';
import { CredentialError } from '../errors.ts';
import { UsageError } from '../../errors.ts';
import { InvalidError } from '../../errors.ts';
import { MAX_LAUNCH_BYTES, readBytes } from '../input/limit.ts';
import { inputChunks } from '../input/read.ts';
import type { Runtime, Context } from '../runtime.ts';
import type { LaunchRef, SavedLaunch } from '../saved.ts';

/** The launch that a command works with, and the origin that its token may be sent to. */
export interface UsedLaunch {
  /** The saved name, or the file. */
  readonly name: string;
  readonly launch: Launch;
  readonly origin: string | undefined;
  /** Where it is kept by name: what is seen of its token is remembered. */
  readonly saved?: LaunchRef;
  /** Named on the command line or in the environment, not just the current one. */
  readonly explicit: boolean;
}

/** Finds the launch to use: flag, environment, project file, the one chosen with `launch use`; undefined for none. */
export async function findLaunch(context: Context): Promise<UsedLaunch | undefined> {
  const named = context.options.launch ?? (context.env.LECTERN_LAUNCH || undefined);
  if (named !== undefined) return { ...(await launchNamed(context, named)), explicit: true };
  const ofProject = await projectLaunch(context);
  if (ofProject !== undefined) return { ...ofProject, explicit: false };
  const current = (await context.settings()).get('currentLaunch');
  if (current === undefined) return undefined;
  const saved = await (await context.launches()).get(current);
  return saved ? { ...fromSaved(saved), explicit: false } : undefined;
}

/** The launch that the project file names: a saved one, or a file beside it. */
async function projectLaunch(context: Context): Promise<Omit<UsedLaunch, 'explicit'> | undefined> {
  const { project } = context;
  const named = project?.settings.launch;
  if (project === undefined || named === undefined) return undefined;
  const saved = isName(named) ? await (await context.launches()).get(named) : undefined;
  return saved ? fromSaved(saved) : launchNamed(context, project.at(named));
}

/** The launch of a saved name or in a file. A name that is neither is a usage error. */
export async function launchNamed(
  runtime: Runtime,
  named: string,
): Promise<Omit<UsedLaunch, 'explicit'>> {
  const store = await runtime.launches();
  if (isName(named)) {
    const saved = await store.get(named);
    if (saved) return fromSaved(saved);
  }
  if (await (await runtime.disk()).exists(named)) {
    const bytes = await readBytes(MAX_LAUNCH_BYTES, inputChunks(runtime, named), named);
    return launchFromText(named, new TextDecoder().decode(bytes));
  }
  // What is neither may be a secret that was pasted in its place, which is not repeated.
  refuseSecret(named);
  const names = await store.names();
  throw new UsageError(
    `no saved launch or file named ${JSON.stringify(named)}`,
    names.length === 0 ? 'save one with: lectern launch save NAME FILE' : nearest(named, names),
  );
}

function fromSaved(saved: SavedLaunch): Omit<UsedLaunch, 'explicit'> {
  const launch = readLaunch(saved.claims);
  return { name: saved.name, launch, origin: saved.origin ?? launchOrigin(launch), saved };
}

/** The launch, or the error that there is none. */
export function requireLaunch(used: UsedLaunch | undefined): UsedLaunch {
  if (used) return used;
  throw new CredentialError(
    'no launch selected',
    'pass --launch NAME or FILE, set LECTERN_LAUNCH, or run: lectern launch use NAME',
  );
}

/** Reads a launch out of a text, or refuses it with the reason. */
export function launchFromText(source: string, text: string): Omit<UsedLaunch, 'explicit'> {
  const read = claimsFromText(text);
  if ('fault' in read) {
    throw new InvalidError(`${source} is not a launch: ${read.fault}`, {
      code: 'launch.unreadable',
      hint: 'pass the claims as JSON, or a header.payload.signature token',
    });
  }
  const launch = readLaunch(read.claims);
  return { name: source, launch, origin: launchOrigin(launch) };
}
