import {
  claimsFromText,
  explainViolation,
  type Launch,
  launchOrigin,
  readLaunch,
  violation,
} from '../../contract/index.ts';
import { isName } from '../arguments/names.ts';
import { nearest } from '../../validator/nearest.ts';
import { refuseSecret } from '../arguments/secrets.ts';
import { CredentialError } from '../errors.ts';
import { UsageError, InvalidError } from '../../errors.ts';
import { MAX_LAUNCH_BYTES, readInput } from '../input/read.ts';
import type { Context, Project, Runtime } from '../runtime.ts';
import type { LaunchRef, SavedLaunch } from '../saved.ts';
import { note } from '../ui.ts';

/** The launch of a command, and the origin that its token may be sent to. */
export interface UsedLaunch {
  /** The saved name, or the file. */
  readonly name: string;
  readonly launch: Launch;
  readonly origin: string | undefined;
  /** Set for a saved launch, whose token status is recorded. */
  readonly saved?: LaunchRef;
  /** Set if its file has a second, different launch. */
  readonly hasSecond?: true;
  /** Given by a flag or in the environment, rather than the current one. */
  readonly explicit: boolean;
}

/**
 * Finds the launch to use: from the flag, environment, project file, or the one chosen with `launch
 * use`; undefined for none.
 */
export async function findLaunch(context: Context): Promise<UsedLaunch | undefined> {
  const used = await chosenLaunch(context);
  if (used?.hasSecond) await noteSecond(context);
  return used;
}

/** Warns that a text has a second, different launch, which was ignored. */
export async function noteSecond(context: Context): Promise<void> {
  const { message, hint } = explainViolation(violation('launch.several', ''));
  await note(context, `warning: ${message}; ${hint}`);
}

async function chosenLaunch(context: Context): Promise<UsedLaunch | undefined> {
  const named = context.options.launch ?? (context.env.LECTERN_LAUNCH || undefined);
  if (named !== undefined) return { ...(await launchNamed(context, named)), explicit: true };
  const { project } = context;
  const ofProject = project?.settings.launch;
  if (ofProject !== undefined) {
    return { ...(await launchNamed(context, ofProject, project)), explicit: false };
  }
  const current = (await context.settings()).get('currentLaunch');
  if (current === undefined) return undefined;
  const saved = await (await context.launches()).get(current);
  return saved ? { ...fromSaved(saved), explicit: false } : undefined;
}

/** A saved launch, or one in a file, perhaps named by a project. Any other name is a usage error. */
export async function launchNamed(
  runtime: Runtime,
  named: string,
  project?: Project,
): Promise<Omit<UsedLaunch, 'explicit'>> {
  const store = await runtime.launches();
  if (isName(named)) {
    const saved = await store.get(named);
    if (saved) return fromSaved(saved);
  }
  const file = project?.at(named) ?? named;
  if (await (await runtime.disk()).exists(file)) {
    const { bytes } = await readInput(runtime, file, 'the launch', MAX_LAUNCH_BYTES);
    return launchFromText(file, new TextDecoder().decode(bytes));
  }
  // If it is neither it may be a pasted secret, which is not repeated.
  refuseSecret(named);
  const names = await store.names();
  const where = project === undefined ? '' : ` (in ${project.file})`;
  throw new UsageError(
    `no saved launch or file named ${JSON.stringify(named)}${where}`,
    names.length === 0 ? 'save one with: lectern launch save NAME FILE' : nearest(named, names),
  );
}

function fromSaved(saved: SavedLaunch): Omit<UsedLaunch, 'explicit'> {
  const launch = readLaunch(saved.claims);
  return { name: saved.name, launch, origin: saved.origin ?? launchOrigin(launch), saved };
}

export function requireLaunch(used: UsedLaunch | undefined): UsedLaunch {
  if (used) return used;
  throw new CredentialError(
    'no launch selected',
    'pass --launch NAME or FILE, set LECTERN_LAUNCH, or run: lectern launch use NAME',
  );
}

export function launchFromText(source: string, text: string): Omit<UsedLaunch, 'explicit'> {
  const read = claimsFromText(text);
  if ('fault' in read) {
    const { fault } = read;
    const { hint } = explainViolation(violation('launch.unreadable', '', { fault }));
    const code = 'launch.unreadable';
    throw new InvalidError(`${source} is not a launch: ${fault}`, { code, hint });
  }
  const launch = readLaunch(read.claims);
  const { hasSecond } = read;
  return {
    name: source,
    launch,
    origin: launchOrigin(launch),
    ...(hasSecond && { hasSecond }),
  };
}
