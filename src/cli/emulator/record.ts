import { isIP } from 'node:net';
import { join } from 'node:path';
import { isHeaderText, isLoopback, isObject } from '../../contract/index.ts';
import type { Served } from '../../emulator/index.ts';
import { UsageError } from '../../errors.ts';
import type { CommandDisk, Runtime } from '../runtime.ts';

/** The record of a running emulator on disk (0600), with which other commands find and control it. */
export interface EmulatorRecord {
  /** The address that it listens on. */
  readonly url: string;
  /** The origin of the URLs in its launches. */
  readonly public_url: string;
  readonly blob_url: string;
  readonly control_token: string;
  readonly pid: number;
  /** The data folder; null in memory. */
  readonly data: string | null;
  /** ISO 8601. */
  readonly started: string;
}

const FILE = 'running-emulator.json';

/**
 * Writes the record of an emulator to a home, to the data folder and, if possible, to a place where
 * the same user finds it by URL alone; returns a function that removes it. An emulator that other
 * machines can reach (`isOpen`) is recorded in its home only: other callers need its token.
 */
export async function publishRecord(
  runtime: Runtime,
  home: string,
  { url, blobUrl, controlToken, emulator, isOpen }: Omit<Served, 'control' | 'close'>,
  data?: string,
): Promise<() => Promise<void>> {
  const record: EmulatorRecord = {
    url,
    public_url: emulator.state.urls.api,
    blob_url: blobUrl,
    control_token: controlToken,
    pid: runtime.pid,
    data: data ?? null,
    started: new Date(runtime.now()).toISOString(),
  };
  const disk = await runtime.disk();
  const text = `${JSON.stringify(record, null, 2)}\n`;
  const files = [fileIn(home, record), ...(data === undefined ? [] : [`${data}/${FILE}`])];
  const shared = await userFile(runtime, record);
  const withdraw = (): Promise<void> =>
    removeFrom(runtime, [...files, ...(shared === undefined || isOpen ? [] : [shared])], record);
  try {
    for (const file of files) await disk.writeFile(file, text, { secret: true });
  } catch (error) {
    await withdraw();
    throw error;
  }
  const publish = (file: string): Promise<void> =>
    isOpen ? disk.remove(file) : disk.writeFile(file, text, { secret: true });
  // If that is not writable, it is still found under this home.
  if (shared !== undefined) await publish(shared).catch(() => {});
  return withdraw;
}

/** Removes a record from files, unless a later emulator has replaced it, with launches that nothing has. */
async function removeFrom(
  runtime: Runtime,
  files: readonly string[],
  record: EmulatorRecord,
): Promise<void> {
  const disk = await runtime.disk();
  for (const file of files) {
    const current = await readRecord(disk, file);
    if (current === undefined || isSame(current, record)) await disk.remove(file);
  }
  if (record.data !== null) return;
  const folder = folderIn((await runtime.home()).data);
  const own = (await disk.listFolder(folder)).filter((name) =>
    name.endsWith(endOf(record.public_url)),
  );
  for (const name of own) await disk.remove(join(folder, name));
}

function isSame(one: EmulatorRecord, other: EmulatorRecord): boolean {
  return one.pid === other.pid && one.control_token === other.control_token;
}

type Address = Pick<EmulatorRecord, 'url'>;

function fileIn(home: string, address: Address): string {
  return join(folderIn(home), `${nameOf(address)}.json`);
}

function folderIn(home: string): string {
  return join(home, 'emulators');
}

/** The port identifies it on 127.0.0.1; on other addresses the address is added. */
function nameOf({ url }: Address): string {
  const { hostname, port } = new URL(url);
  const own = port === '' ? '80' : port;
  return hostname === '127.0.0.1' ? own : `${hostname.replace(/[^\w.]/g, '_')}-${own}`;
}

async function userFile(runtime: Runtime, address: Address): Promise<string | undefined> {
  return (await runtime.disk()).userFile(`emulator-${nameOf(address)}.json`);
}

/** Removes the records of an emulator that ended without doing so. */
export async function removeRecord(runtime: Runtime, record: EmulatorRecord): Promise<void> {
  const shared = await userFile(runtime, record);
  const files = [fileIn((await runtime.home()).data, record), ...(shared ? [shared] : [])];
  await removeFrom(runtime, files, record);
}

/** Whether a record still exists in the home. */
export async function isRecorded(runtime: Runtime, record: EmulatorRecord): Promise<boolean> {
  return (await homeRecords(runtime)).some((each) => isSame(each, record));
}

/**
 * The record in a data folder. The folder may come from somebody else, and the launches of the emulator
 * are used with its URL.
 */
export async function folderRecord(runtime: Runtime, folder: string): Promise<EmulatorRecord[]> {
  const disk = await runtime.disk();
  const file = `${folder}/${FILE}`;
  const record = await readRecord(disk, file);
  if (record === undefined) return [];
  const { ownership } = await runtime.machine();
  const { isOwn = false, isLink = false } = (await ownership(disk.absolute(file))) ?? {};
  const faults = [
    isLink && 'it is a link',
    !isOwn && 'it belongs to another user',
    !isLoopback(record.url) && `it names ${record.url}, which is not on loopback`,
  ];
  const fault = faults.find((each) => each !== false);
  if (fault === undefined) return [record];
  throw new UsageError(`${file} is not used: ${fault}`, 'name the emulator by its URL');
}

/** The records of the emulators that were started at a URL, or under a public one. */
export async function recordsAt(runtime: Runtime, origin: string): Promise<EmulatorRecord[]> {
  const url = origin.replace('//localhost', '//127.0.0.1');
  const shared = await userFile(runtime, { url });
  const files = [...(await recordFiles(runtime)), ...(shared ? [shared] : [])];
  const records = await recordsOf(await runtime.disk(), files);
  const matching = records.filter((record) => record.url === url || record.public_url === origin);
  return matching.slice(0, 1);
}

export async function homeRecords(runtime: Runtime): Promise<EmulatorRecord[]> {
  return recordsOf(await runtime.disk(), await recordFiles(runtime));
}

async function recordFiles(runtime: Runtime): Promise<string[]> {
  const folder = folderIn((await runtime.home()).data);
  const names = await (await runtime.disk()).listFolder(folder);
  return names.filter((name) => name.endsWith('.json')).map((name) => `${folder}/${name}`);
}

/** The records in files, the last started first. */
async function recordsOf(disk: CommandDisk, files: readonly string[]): Promise<EmulatorRecord[]> {
  const records = await Promise.all(files.map((file) => readRecord(disk, file)));
  return records
    .flatMap((record) => record ?? [])
    .sort((a, b) => b.started.localeCompare(a.started));
}

/** The record in a file; undefined if it is damaged, or from another program. */
async function readRecord(disk: CommandDisk, file: string): Promise<EmulatorRecord | undefined> {
  if (!(await disk.exists(file))) return undefined;
  try {
    const bytes = await disk.readFile(file, MAX_BYTES);
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const MAX_BYTES = 64 * 1024;

/**
 * Checks the form of a record, because its token is sent to its URL. By hand, because each command of
 * the emulator would load the check of schemas for it (docs/decisions/0015-schemas.md).
 */
function isRecord(value: unknown): value is EmulatorRecord {
  if (!isObject(value)) return false;
  const { url, public_url, blob_url, control_token, pid, data, started } = value;
  return (
    isOwnOrigin(url) &&
    isOwnOrigin(blob_url) &&
    typeof public_url === 'string' &&
    typeof control_token === 'string' &&
    isHeaderText(control_token) &&
    Number.isInteger(pid) &&
    (data === null || typeof data === 'string') &&
    typeof started === 'string'
  );
}

/**
 * Whether a value is an origin with an IP address, as a listener has it: a name may resolve to
 * another machine.
 */
function isOwnOrigin(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { origin, hostname } = new URL(value);
  return value === origin && isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
}

/** The end of the names of an emulator's launches; its record has only the port. */
function endOf(url: string): string {
  return `-${new URL(url).host.replace(/[^\w.]/g, '_')}.json`;
}

/**
 * Writes a launch to the file of its role, which has the last one; returns its path. It is stored next
 * to the records of emulators, and is as secret.
 */
export async function writeLaunchFile(
  runtime: Runtime,
  { url, role }: { readonly url: string; readonly role: string },
  claims: object,
): Promise<string> {
  const disk = await runtime.disk();
  const folder = folderIn((await runtime.home()).data);
  const file = disk.absolute(join(folder, `launch-${role}${endOf(url)}`));
  await disk.writeFile(file, `${JSON.stringify(claims, null, 2)}\n`, { secret: true });
  return file;
}
