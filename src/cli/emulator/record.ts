import type { Served } from '../../emulator/index.ts';
import { UsageError } from '../errors.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';

/** What a running emulator leaves on disk (0600), so that other commands find and steer it. */
export interface EmulatorRecord {
  readonly url: string;
  readonly blob_url: string;
  /** Opens the control side. */
  readonly control_token: string;
  readonly pid: number;
  /** The data folder; null where nothing is kept. */
  readonly data: string | null;
  /** ISO 8601. */
  readonly started: string;
}

const FILE = 'running-emulator.json';

/** The record of an emulator that this process serves. */
export function recordOf(
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

/** Leaves the record in the home and in the data folder; returns what takes it away again. */
export async function announce(
  runtime: Runtime,
  record: EmulatorRecord,
): Promise<() => Promise<void>> {
  const disk = await runtime.disk();
  const own = await announceIn(runtime, (await runtime.home()).data, record);
  const files = record.data === null ? [own] : [own, `${record.data}/${FILE}`];
  for (const file of files.slice(1)) await disk.writeFile(file, textOf(record), { secret: true });
  return async () => {
    for (const file of files) await disk.remove(file);
  };
}

/** Leaves the record in a home, by the port; returns the file. */
export async function announceIn(
  runtime: Runtime,
  home: string,
  record: EmulatorRecord,
): Promise<string> {
  const file = recordIn(home, record);
  await (await runtime.disk()).writeFile(file, textOf(record), { secret: true });
  return file;
}

function recordIn(home: string, { url }: EmulatorRecord): string {
  return `${home}/emulators/${new URL(url).port}.json`;
}

function textOf(record: EmulatorRecord): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}

/** Takes away the record of an emulator that has ended without doing so itself. */
export async function forget(runtime: Runtime, record: EmulatorRecord): Promise<void> {
  await (await runtime.disk()).remove(recordIn((await runtime.home()).data, record));
}

/**
 * The emulators that may be meant, to be tried in this order: the one of `--emulator` or
 * `LECTERN_EMULATOR`, else those started under this home, the last one first. At least one.
 */
export async function findEmulators(
  runtime: Runtime,
  options: GlobalOptions,
): Promise<EmulatorRecord[]> {
  const named = options.emulator ?? (runtime.env.LECTERN_EMULATOR || undefined);
  const known = await knownRecords(runtime);
  if (named === undefined) {
    return known.length > 0 ? known : notRunning('no emulator was started under this home');
  }
  if (!/^https?:\/\//.test(named)) {
    return [(await readRecord(runtime, `${named}/${FILE}`)) ?? notRunning(`none runs on ${named}`)];
  }
  const origin = URL.canParse(named)
    ? new URL(named).origin.replace('localhost', '127.0.0.1')
    : named;
  const found = known.find(({ url }) => url === origin);
  return [found ?? notRunning(`no emulator at ${origin} was started under this home`)];
}

function notRunning(message: string): never {
  throw new UsageError(message, 'start one: lectern emulator start');
}

/** The records of this home, the last started first. */
async function knownRecords(runtime: Runtime): Promise<EmulatorRecord[]> {
  const disk = await runtime.disk();
  const folder = `${(await runtime.home()).data}/emulators`;
  const names = (await disk.listFolder(folder)).filter((name) => name.endsWith('.json'));
  const records = await Promise.all(names.map((name) => readRecord(runtime, `${folder}/${name}`)));
  return records
    .flatMap((record) => record ?? [])
    .sort((a, b) => b.started.localeCompare(a.started));
}

async function readRecord(runtime: Runtime, file: string): Promise<EmulatorRecord | undefined> {
  const disk = await runtime.disk();
  if (!(await disk.exists(file))) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(await disk.readFile(file))) as EmulatorRecord;
  } catch {
    // Half a record cannot be: it was tampered with, and is as good as none.
    return undefined;
  }
}
