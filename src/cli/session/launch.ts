import {
  addressesOf,
  claimsFromText,
  explainViolation,
  isLoopback,
  type Launch,
  launchOrigin,
  originOf,
  readLaunch,
  violation,
} from '../../contract/index.ts';
import { HOW_TO_SAVE, isName } from '../arguments/names.ts';
import { nearest } from '../../contract/nearest.ts';
import { refuseSecret } from '../arguments/secrets.ts';
import { CredentialError } from '../errors.ts';
import { UsageError, InvalidError } from '../../errors.ts';
import { readInput } from '../input/read.ts';
import { MAX_LAUNCH_BYTES } from '../sizes.ts';
import type { Context, Project, Runtime } from '../runtime.ts';
import type { LaunchRef, SavedLaunch } from '../stores.ts';
import { note } from '../output/notes.ts';
import { choose } from './precedence.ts';

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
  /** Set if only this project file names it: no secret of the environment goes with it. */
  readonly project?: Project;
}

/** A launch by its name or file, however that was chosen. */
type NamedLaunch = Omit<UsedLaunch, 'explicit' | 'project'>;

/** Finds the launch to use; undefined for none. */
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
  const choice = await choose(context, 'launch');
  if (choice === undefined) return undefined;
  const { value, from } = choice;
  const { project } = context;
  if (from === 'project' && project !== undefined) {
    return { ...(await launchOf(context, project, value)), explicit: false, project };
  }
  if (from !== 'saved') return { ...(await launchNamed(context, value)), explicit: true };
  const saved = await savedUnder(context, value);
  return saved && { ...saved, explicit: false };
}

/** A saved launch, or one in a file. Any other name is a usage error, which says where it is. */
export async function launchNamed(runtime: Runtime, named: string): Promise<NamedLaunch> {
  const found = (await savedUnder(runtime, named)) ?? (await launchIn(runtime, named));
  return found ?? noSuchLaunch(runtime, named);
}

/** The launch of a project: a saved one, or one of an emulator in a file of the project. */
async function launchOf(runtime: Runtime, project: Project, named: string): Promise<NamedLaunch> {
  const saved = await savedUnder(runtime, named);
  if (saved) return saved;
  const file = await project.pathOf('/launch', named, '--launch FILE');
  const found = await launchIn(runtime, file);
  if (found === undefined) return noSuchLaunch(runtime, named);
  const origins = addressesOf(found.launch).map(({ url }) => originOf(url));
  const elsewhere = [found.origin, ...origins].find((each) => each && !isLoopback(each));
  if (elsewhere === undefined) return found;
  throw project.refuse(
    '/launch',
    `${named} leads to ${elsewhere}, and a launch file of a project may only lead to an emulator on this machine`,
    '--launch FILE, or save it and name it here: lectern launch save NAME FILE',
  );
}

async function savedUnder(runtime: Runtime, name: string): Promise<NamedLaunch | undefined> {
  const saved = isName(name) ? await (await runtime.launches()).get(name) : undefined;
  return saved && fromSaved(saved);
}

async function launchIn(runtime: Runtime, file: string): Promise<NamedLaunch | undefined> {
  if (!(await (await runtime.disk()).exists(file))) return undefined;
  const { bytes } = await readInput(runtime, file, 'the launch', MAX_LAUNCH_BYTES);
  return launchFromText(file, new TextDecoder().decode(bytes));
}

async function noSuchLaunch(runtime: Runtime, named: string): Promise<never> {
  // It may be a pasted secret, which is not repeated.
  refuseSecret(named);
  const names = await (await runtime.launches()).names();
  const where = runtime.sources.launch === undefined ? '' : ` (in ${runtime.sources.launch})`;
  throw new UsageError(
    `no saved launch or file named ${JSON.stringify(named)}${where}`,
    names.length === 0 ? HOW_TO_SAVE.launch : nearest(named, names),
  );
}

function fromSaved(saved: SavedLaunch): NamedLaunch {
  const launch = readLaunch(saved.claims);
  return { name: saved.name, launch, origin: saved.origin ?? launchOrigin(launch), saved };
}

export function requireLaunch(used: UsedLaunch | undefined): UsedLaunch {
  if (used) return used;
  throw new CredentialError(
    'missing',
    'no launch selected',
    'pass --launch NAME or FILE, set LECTERN_LAUNCH, or run: lectern launch use NAME',
  );
}

export function launchFromText(source: string, text: string): NamedLaunch {
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
