import { dirname, join } from 'node:path';
import { untilAborted } from '../../clock.ts';
import { reasonOf } from '../../disk/open-file.ts';
import { UnusableFileError } from '../../disk/plain-file.ts';
import type { Seed, Served, ServeOptions } from '../../emulator/index.ts';
import { InvalidError, StateError, UsageError } from '../../errors.ts';
import type { Disk } from '../../ports.ts';
import type { Context, Runtime } from '../runtime.ts';
import { note } from '../output/notes.ts';
import { type Ready, printReady } from './ready.ts';
import { givenToken } from './find.ts';
import { type EmulatorRecord, homeRecords, publishRecord } from './record.ts';
import { readSeed } from '../input/document.ts';
import { type EmulatorStartOptions, START_FLAGS } from './flags.ts';
import {
  chaosOf,
  startOptions,
  restoreProjectTools,
  uploadProjectTools,
} from './project-options.ts';
import { flagWord } from '../../contract/words.ts';
import { flagLine } from '../arguments/flags.ts';
import { isServing } from './readiness.ts';
import { varyOf } from './vary.ts';

/** Runs the emulator in this process until it is interrupted or stopped. */
export async function startInForeground(given: Context<EmulatorStartOptions>): Promise<void> {
  const context = await startOptions(given);
  const { options } = context;
  checkOptions(options);
  givenToken(context);
  const seed = options.seed === undefined ? undefined : await readSeed(context, options.seed);
  await serveUntilEnd(context, seed);
}

function checkOptions({
  session,
  at,
  port,
  blobPort,
  toolPort,
  publicUrl,
  publicBlobUrl,
}: EmulatorStartOptions): void {
  if (at !== undefined && session === undefined) {
    throw new UsageError('--at is a request of a session', 'add --session FILE');
  }
  const ports = { '--port': port, '--blob-port': blobPort, '--tool-port': toolPort };
  const given = Object.entries(ports).filter(([, each]) => each);
  const same = given.filter(([, each]) => given.filter(([, other]) => other === each).length > 1);
  if (same.length > 0) {
    const [flag, other] = same.map(([name]) => name);
    throw new UsageError(`${flag} and ${other} are the same`, 'each needs a port of its own');
  }
  if (publicUrl !== undefined && publicUrl === publicBlobUrl) {
    throw new UsageError(
      '--public-url and --public-blob-url are the same',
      'signed URLs need another origin',
    );
  }
}

async function serveUntilEnd(
  context: Context<EmulatorStartOptions>,
  seed: Seed | undefined,
): Promise<void> {
  const { options } = context;
  const data =
    options.memory || options.session !== undefined
      ? undefined
      : (options.data ?? join((await context.home()).data, 'emulator'));
  if (data !== undefined) await refuseFile(await context.disk(), data);
  const stop = new AbortController();
  // Set when other commands can find it.
  let isReady = false;
  const served = await serve(context, {
    data,
    seed,
    onStop: () => stop.abort(),
    onReset: async () => {
      if (options.session === undefined) await restoreProjectTools(context, served);
    },
    isReady: () => isReady,
  });
  let withdraw = async (): Promise<void> => {};
  // The two listening ports keep the process alive until they are closed.
  try {
    const isSession = options.session !== undefined;
    const warnings = isSession ? [] : await uploadProjectTools(context, served);
    withdraw = await publishRecord(context, (await context.home()).data, served, data);
    await keepMemoryPorts(context, served);
    isReady = true;
    const console = await consoleOf(options, served);
    await printReady(context, { ...readyOf(context, served, data, warnings), ...console });
    await untilAborted(AbortSignal.any([context.interrupt, stop.signal]));
  } finally {
    // Last, because `emulator stop` waits for it.
    await served.close().finally(withdraw);
  }
  await note(context, 'the emulator has stopped');
}

/** Refuses a data folder that is a file, or is below one. */
async function refuseFile(disk: Disk, data: string): Promise<void> {
  const facts = await disk.pathInfo(data, { followLinks: true });
  if (facts?.kind === 'file') {
    throw new InvalidError(`${data} is a file, not a folder`, {
      code: 'emulator.data',
      hint: 'the data of the emulator is kept in a folder, which is created if it is missing',
    });
  }
  const parent = dirname(data);
  if (facts === undefined && parent !== data) await refuseFile(disk, parent);
}

function readyOf(
  context: Context<EmulatorStartOptions>,
  served: Served,
  data: string | undefined,
  warnings: readonly string[],
): Ready {
  const { pid } = context;
  const { state, isNew } = served.emulator;
  const isMade = served.isOpen && givenToken(context) === undefined;
  return {
    base_url: state.urls.api,
    url: served.url,
    blob_url: state.urls.blobs,
    pid,
    data: data ?? null,
    world: isNew ? 'new' : 'kept',
    ...(state.vary && { vary: state.vary.seed }),
    ...(isMade && { token: served.controlToken }),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** The address of the request to look at, which lets one page in. */
async function consoleOf({ at }: EmulatorStartOptions, { control }: Served) {
  if (at === undefined) return {};
  const { code, url } = await control('POST console/code');
  return { console: `${url}traffic/${at}#code=${code}` };
}

/** The hint for a data folder that cannot be used: the default is below the home. */
function elsewhere({ data }: EmulatorStartOptions): string {
  return data === undefined ? 'set LECTERN_HOME to another folder' : 'use another --data folder';
}

interface Serving extends Pick<ServeOptions, 'onStop' | 'onReset' | 'isReady'> {
  readonly data: string | undefined;
  readonly seed: Seed | undefined;
}

async function serve(
  context: Context<EmulatorStartOptions>,
  { data, seed, ...more }: Serving,
): Promise<Served> {
  const { options } = context;
  const { DataInUseError, HttpError, serveEmulator, StoreError, VaryError } =
    await import('../../emulator/index.ts');
  const { port, host, blobPort, toolPort, publicUrl, publicBlobUrl, session } = options;
  const where = { port, host, blobPort, toolPort, publicUrl, publicBlobUrl, session };
  const trouble = { chaos: chaosOf(options), vary: varyOf(options) };
  const lastPorts = await lastMemoryPorts(context);
  try {
    return await serveEmulator({
      now: context.now,
      controlToken: givenToken(context) ?? crypto.randomUUID(),
      pid: context.pid,
      ...trouble,
      report: (error) => void reportDefect(context, error),
      startedWith: `lectern emulator start ${flagLine(START_FLAGS, options)}`.trim(),
      ...more,
      ...where,
      lastPorts,
      data,
      seed,
    });
  } catch (error) {
    if (error instanceof DataInUseError) {
      throw new UsageError(error.message, `stop it with: ${stopCommand(data ?? '')}`);
    }
    if (error instanceof VaryError) {
      const hint = 'start it so, or use --memory or another --data folder';
      throw new UsageError(`${data}: ${error.message}`, hint);
    }
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === 'ERR_SOCKET_BAD_PORT') {
      throw new UsageError(
        `--tool-port ${toolPort} is too high: the ports of all hosted tools follow it`,
        'the highest port is 65535',
      );
    }
    if (error instanceof HttpError) {
      throw new InvalidError(`${session}: ${error.message}`, { code: error.code });
    }
    const isOfFile =
      error instanceof UnusableFileError || (syscall !== 'listen' && syscall !== undefined);
    if (session !== undefined && isOfFile) {
      throw new UsageError(`${session} cannot be read: ${reasonOf(error)}`);
    }
    if (syscall === 'listen') throw await listenError(context, error as NodeJS.ErrnoException);
    if (error instanceof StoreError) {
      throw new StateError(error.message, elsewhere(options), { cause: error });
    }
    if (data !== undefined && syscall !== undefined) {
      throw new StateError(`${data} cannot be used: ${reasonOf(error)}`, elsewhere(options), {
        cause: error,
      });
    }
    throw error;
  }
}

function stopCommand(emulator: string): string {
  return `lectern emulator stop ${flagWord('--emulator', emulator)}`;
}

async function listenError(
  context: Context<EmulatorStartOptions>,
  error: NodeJS.ErrnoException,
): Promise<UsageError> {
  const { options } = context;
  const { code, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT' || code === 'EINVAL') {
    return new UsageError(
      `${options.host} is not an address of this machine`,
      'use one of its addresses, or 0.0.0.0 for all of them',
    );
  }
  const flags = [
    ['--port', options.port],
    ['--blob-port', options.blobPort],
  ] as const;
  const flag = flags.find(([, given]) => given === port)?.[0] ?? '--tool-port';
  const other = `omit ${flag} to use a free port`;
  if (code !== 'EADDRINUSE') return new UsageError(`port ${port} is not available: ${code}`, other);
  const { url, pid } = (await emulatorOn(context, port)) ?? {};
  return url === undefined
    ? new UsageError(`port ${port} is in use`, other)
    : new UsageError(
        `port ${port} is in use by an emulator of this home, process ${pid}`,
        `stop it with: ${stopCommand(url)}; or ${other}`,
      );
}

/** The emulator of this home that serves on a port. */
async function emulatorOn(
  runtime: Runtime,
  port: number | undefined,
): Promise<EmulatorRecord | undefined> {
  const usesPort = (origin: string): boolean => Number(new URL(origin).port) === port;
  const found = (await homeRecords(runtime)).find(
    ({ url, blob_url }) => usesPort(url) || usesPort(blob_url),
  );
  return found && (await isServing(runtime, found.url)) ? found : undefined;
}

/** A defect is answered with 500; its stack trace is printed to standard error. */
async function reportDefect(context: Context, error: unknown): Promise<void> {
  const { bugReport } = await import('../error-report.ts');
  await context.stderr.write(bugReport(error));
}

async function portsFile(context: Context): Promise<string> {
  return join((await context.home()).data, 'memory-ports.json');
}

const MAX_BYTES = 1024;

/**
 * The ports of this home's last emulator in memory: open pages reconnect after a restart. An emulator
 * with data has the ports in its folder.
 */
async function lastMemoryPorts(
  context: Context<EmulatorStartOptions>,
): Promise<ServeOptions['lastPorts']> {
  const { memory, port, host } = context.options;
  if (!memory || port !== undefined || host !== undefined) return undefined;
  try {
    const bytes = await (await context.disk()).readFile(await portsFile(context), MAX_BYTES);
    const { api, blobs } = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
    return { api: Number(api), blobs: Number(blobs) };
  } catch {
    // There was none, or the file is damaged.
    return undefined;
  }
}

async function keepMemoryPorts(
  context: Context<EmulatorStartOptions>,
  { url, blobUrl }: Served,
): Promise<void> {
  if (!context.options.memory) return;
  const [api, blobs] = [url, blobUrl].map((each) => Number(new URL(each).port));
  const text = `${JSON.stringify({ api, blobs })}\n`;
  await (await context.disk()).writeFile(await portsFile(context), text, { secret: true });
}
