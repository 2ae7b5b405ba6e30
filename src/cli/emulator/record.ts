import { isHeaderText, isObject } from '../../contract/index.ts';
import type { Served } from '../../emulator/index.ts';
import { UsageError } from '../../errors.ts';
import type { Runtime, Context } from '../runtime.ts';

/** What a running emulator writes to disk (0600), so that other commands can find and control it. */
export interface EmulatorRecord {
  readonly url: string;
  readonly blob_url: string;
  /** The bearer token of control requests. */
  readonly control_token: string;
  readonly pid: number;
  /** The data folder; null where nothing is kept. */
  readonly data: string | null;
  /** ISO 8601. */
  readonly started: string;
}

const FILE = 'running-emulator.json';

/** The record of an emulator that this process serves. */
export function createRecord(
  runtime: Runtime,
  served: Served,
  data: string | undefined,
): EmulatorRecord {
  return {
    url: served.url,
    blob_url: served.blobUrl,
    control_token: served.controlToken,
    pid: runtime.pid,
    data: data ?? null,
    started: new Date(runtime.now()).toISOString(),
  };
}

/**
 * Leaves the record in a home, in the data folder and, if it can be, where a URL alone finds it for
 * the same user; returns what takes it away again.
 */
export async function publishRecord(
  runtime: Runtime,
  home: string,
  record: EmulatorRecord,
): Promise<() => Promise<void>> {
  const disk = await runtime.disk();
  const text = `${JSON.stringify(record, null, 2)}\n`;
  const written: string[] = [];
  const write = async (file: string): Promise<void> => {
    await disk.writeFile(file, text, { secret: true });
    written.push(file);
  };
  const withdraw = async (): Promise<void> => {
    for (const file of written) await disk.remove(file);
  };
  try {
    await write(fileIn(home, record));
    if (record.data !== null) await write(`${record.data}/${FILE}`);
    const shared = await userFile(runtime, record);
    // Nothing may be written there, perhaps; under this home it is found all the same.
    if (shared !== undefined) await write(shared).catch(() => {});
    return withdraw;
  } catch (error) {
    await withdraw();
    throw error;
  }
}

type Address = Pick<EmulatorRecord, 'url'>;

function fileIn(home: string, { url }: Address): string {
  return `${folderIn(home)}/${new URL(url).port}.json`;
}

function folderIn(home: string): string {
  return `${home}/emulators`;
}

async function userFile(runtime: Runtime, { url }: Address): Promise<string | undefined> {
  return (await runtime.disk()).userFile(`emulator-${new URL(url).port}.json`);
}

/** Removes the records of an emulator that ended without doing so itself. */
export async function removeRecord(runtime: Runtime, record: EmulatorRecord): Promise<void> {
  const disk = await runtime.disk();
  await disk.remove(fileIn((await runtime.home()).data, record));
  const shared = await userFile(runtime, record);
  if (shared !== undefined) await disk.remove(shared);
}

/**
 * The emulators that may be meant, to be tried in this order: the one of `--emulator` or
 * `LECTERN_EMULATOR`, else those started under this home, the last one first. At least one. A URL
 * names any that the user runs, under whatever home.
 */
export async function findEmulators(context: Context): Promise<EmulatorRecord[]> {
  const named = context.options.emulator ?? (context.env.LECTERN_EMULATOR || undefined);
  if (named === undefined) {
    const known = await recordsOf(context, await recordFiles(context));
    return known.length > 0 ? known : notRunning('no emulator is running in this home');
  }
  if (!/^https?:\/\//i.test(named)) {
    return [
      (await readRecord(context, `${named}/${FILE}`)) ??
        notRunning(`no emulator is running on ${named}`),
    ];
  }
  return [
    (await recordAt(context, named)) ??
      notRunning(`no emulator of this user is running at ${named}`),
  ];
}

/** The record of the emulator that was started last at a URL. */
async function recordAt(runtime: Runtime, named: string): Promise<EmulatorRecord | undefined> {
  if (!URL.canParse(named)) return undefined;
  const url = new URL(named).origin.replace('localhost', '127.0.0.1');
  const shared = await userFile(runtime, { url });
  const files = [fileIn((await runtime.home()).data, { url }), ...(shared ? [shared] : [])];
  const records = await recordsOf(runtime, files);
  return records.find((record) => record.url === url);
}

function notRunning(message: string): never {
  throw new UsageError(message, 'start one with: lectern emulator start');
}

async function recordFiles(runtime: Runtime): Promise<string[]> {
  const folder = folderIn((await runtime.home()).data);
  const names = await (await runtime.disk()).listFolder(folder);
  return names.filter((name) => name.endsWith('.json')).map((name) => `${folder}/${name}`);
}

/** The records in files, the last started first. */
async function recordsOf(runtime: Runtime, files: readonly string[]): Promise<EmulatorRecord[]> {
  const records = await Promise.all(files.map((file) => readRecord(runtime, file)));
  return records
    .flatMap((record) => record ?? [])
    .sort((a, b) => b.started.localeCompare(a.started));
}

/** The record in a file; undefined for a damaged one, or one of another program. */
async function readRecord(runtime: Runtime, file: string): Promise<EmulatorRecord | undefined> {
  const disk = await runtime.disk();
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

/** Whether this is a record as `createRecord` makes it: its token is sent to its URL. */
function isRecord(value: unknown): value is EmulatorRecord {
  if (!isObject(value)) return false;
  const { url, blob_url, control_token, pid, data, started } = value;
  return (
    isLoopbackOrigin(url) &&
    isLoopbackOrigin(blob_url) &&
    typeof control_token === 'string' &&
    isHeaderText(control_token) &&
    Number.isInteger(pid) &&
    (data === null || typeof data === 'string') &&
    typeof started === 'string'
  );
}

function isLoopbackOrigin(value: unknown): boolean {
  return (
    typeof value === 'string' && /^http:\/\/127\.0\.0\.1:\d+$/.test(value) && URL.canParse(value)
  );
}
