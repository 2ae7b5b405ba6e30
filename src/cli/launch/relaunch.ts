import { type Caller, NoAnswer, Refusal } from '../../client/index.ts';
import {
  addressesOf,
  causeOf401,
  type Code,
  isLoopback,
  isProvisionRequest,
  isStaff,
  type Launch,
  LAUNCH_TOKEN_IDLE_MS,
  originOf,
  readLaunch,
  shownUrl,
} from '../../contract/index.ts';
import { flagWord } from '../../contract/words.ts';
import { answeredText } from '../error-report.ts';
import { isName } from '../arguments/names.ts';
import { ExitError } from '../errors.ts';
import type { Runtime } from '../runtime.ts';
import type { SavedLaunch } from '../stores.ts';

/**
 * The command lines that help if a launch token has ended or may not be used for a row, or if the
 * emulator of a launch cannot be reached; undefined for any other error.
 */
export async function relaunchHint(runtime: Runtime, error: unknown): Promise<string | undefined> {
  const failed = error instanceof ExitError ? error.cause : error;
  if (failed instanceof Refusal) return refusalHint(runtime, failed);
  if (!(failed instanceof NoAnswer) || failed.unreached === undefined) return undefined;
  if (!isLoopback(failed.unreached)) return undefined;
  const { port } = new URL(failed.unreached);
  const saved = await savedOf(runtime, failed.caller);
  const led = saved && (await ledThrough(runtime, saved));
  if (saved && led) {
    return `start its observer: lectern observe -l ${led.name} --save ${saved.name} --port ${port} --force`;
  }
  const command = await relaunchCommand(runtime, failed.caller);
  return (
    command &&
    `is it an emulator? start it: lectern emulator start --port ${port}; then launch again: ${command}`
  );
}

const ENDED: ReadonlySet<Code> = new Set(['auth.ended', 'auth.unknown', 'auth.missing']);

async function refusalHint(runtime: Runtime, refusal: Refusal): Promise<string | undefined> {
  const { status, code } = refusal;
  if (status === 403) return readByStaff(runtime, refusal);
  if (status !== 401 || (code !== undefined && !ENDED.has(code))) return undefined;
  const command = await relaunchCommand(runtime, refusal.caller);
  if (command === undefined) return undefined;
  const other = await readByStaff(runtime, refusal);
  const again = `get a token from a new launch: ${command}`;
  return other === undefined ? again : `${again}\n${other}`;
}

/**
 * "Course staff: read and write any member's member and member_location rows in their course": how
 * to read a refused row of a saved launch with another launch's token.
 */
async function readByStaff(
  runtime: Runtime,
  { area, url, isWrite, caller }: Refusal,
): Promise<string | undefined> {
  if (isWrite || (area !== 'storage' && area !== 'files')) return undefined;
  const saved = (await (await runtime.launches()).list()).map(({ name, claims }) => {
    const launch = readLaunch(claims);
    return { name, launch, claims: addressesOf(launch).filter((at) => shownUrl(at.url) === url) };
  });
  const owner = saved.find(({ name, claims }) => claims.length === 1 && name === caller?.name);
  const of = owner ?? saved.find(({ claims }) => claims.length === 1);
  if (of === undefined) return undefined;
  const isOfService = ({ url: other }: { url: string }): boolean =>
    originOf(other) === originOf(url);
  const staff = saved.find(
    ({ name, launch }) =>
      name !== caller?.name &&
      isStaff(launch) &&
      launch.context === of.launch.context &&
      addressesOf(launch).some(isOfService),
  );
  if (staff === undefined && isStaff(of.launch)) return undefined;
  const verb = area === 'storage' ? 'storage get' : 'files ls';
  const address = `$(lectern launch show ${of.name} --reveal ${of.claims[0]?.claim})`;
  return `staff of the course can read it with their own token: lectern ${verb} "${address}" -l ${staff?.name ?? 'NAME'}`;
}

/** The message of a 401 with the causes that remain; undefined for any other error. */
export async function refusedMessage(
  runtime: Runtime,
  error: unknown,
): Promise<string | undefined> {
  const cause = error instanceof Refusal ? await remainingCause(runtime, error) : undefined;
  return cause && answeredText(error as Refusal, cause);
}

/** The causes of a 401 that remain by what is known here about the launch; undefined for another status. */
export async function remainingCause(
  runtime: Runtime,
  { status, code, caller, dateMs }: Refusal,
): Promise<string | undefined> {
  if (status !== 401 || code !== undefined || caller === undefined) return undefined;
  const { kind, name } = caller;
  const isSaved = kind === 'launch_token' && name !== undefined && isName(name);
  const saved = isSaved ? await (await runtime.launches()).find(name) : undefined;
  if (saved === undefined) return causeOf401({ kind });
  const { success } = await (await runtime.tokenStatus()).of(saved);
  // The clock of an emulator can be moved.
  const now = Math.max(runtime.now(), dateMs ?? 0);
  return causeOf401({
    kind,
    wasAccepted: success !== undefined,
    isRecent: success !== undefined && now - Date.parse(success) < LAUNCH_TOKEN_IDLE_MS,
    isProvisionRequest: isProvisionRequest(readLaunch(saved.claims)),
  });
}

/** The saved launch whose token a caller sent. */
async function savedOf(
  runtime: Runtime,
  { kind, name }: Partial<Caller> = {},
): Promise<SavedLaunch | undefined> {
  if (kind !== 'launch_token' || name === undefined || !isName(name)) return undefined;
  return (await runtime.launches()).find(name);
}

/** The launch that `observe --save` has saved another one of: the same, at another origin. */
async function ledThrough(
  runtime: Runtime,
  { claims, origin, saved }: SavedLaunch,
): Promise<SavedLaunch | undefined> {
  const all = await (await runtime.launches()).list();
  return all.find(
    (each) =>
      each.claims.launch_id !== undefined &&
      each.claims.launch_id === claims.launch_id &&
      each.origin !== origin &&
      each.saved < saved,
  );
}

/** Saves a launch again under its name: from its emulator, else from a file. */
async function relaunchCommand(
  runtime: Runtime,
  caller: Caller | undefined,
): Promise<string | undefined> {
  const called = await savedOf(runtime, caller);
  const saved = called && ((await ledThrough(runtime, called)) ?? called);
  const { name, origin } = saved ?? {};
  if (saved === undefined || origin === undefined) return undefined;
  if (!isLoopback(origin)) return `lectern launch save ${name} FILE --force`;
  const launch = readLaunch(saved.claims);
  const verb = isProvisionRequest(launch) ? 'provision-request' : 'launch';
  return `lectern emulator ${verb} ${emulatorFlags(launch)}--save ${name} --force`;
}

/** The flags for the same member, or course, in the same place. */
function emulatorFlags(launch: Launch): string {
  const { member, context: course, location } = launch;
  const flags = Object.entries(
    isProvisionRequest(launch) ? { course, location } : { member, location },
  );
  return flags
    .map(([name, id]) => (id === undefined ? '' : `${flagWord(`--${name}`, id)} `))
    .join('');
}
