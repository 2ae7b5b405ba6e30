import type { Served } from '../../emulator/index.ts';
import { UsageError } from '../../errors.ts';
import { StateError } from '../../errors.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { note, printJson, printText } from '../ui.ts';
import { announce, type EmulatorRecord, recordOf } from './record.ts';
import { readSeed } from './seed-file.ts';

interface StartOptions extends GlobalOptions {
  readonly port?: number;
  readonly data?: string;
  readonly memory?: boolean;
  readonly seed?: string;
}

export async function runStart(runtime: Runtime, options: StartOptions): Promise<void> {
  if (options.memory && options.data !== undefined) {
    throw new UsageError('--memory keeps nothing, --data keeps it in a folder', 'give one of them');
  }
  const data = options.memory
    ? undefined
    : (options.data ?? `${(await runtime.home()).data}/emulator`);
  const served = await serve(runtime, options, data);
  // The two listening ports keep the process alive until they are closed.
  try {
    await beAnnounced(runtime, options, served, data);
  } finally {
    await served.close();
  }
  await note(runtime, options, 'the emulator has stopped');
}

/** Can be found by other commands until it is interrupted. */
async function beAnnounced(
  runtime: Runtime,
  options: StartOptions,
  served: Served,
  data: string | undefined,
): Promise<void> {
  const record = recordOf(runtime, served, data);
  const withdraw = await announce(runtime, (await runtime.home()).data, record);
  try {
    await tellReady(runtime, options, record, served.emulator.isNew);
    await aborted(runtime.interrupt);
  } finally {
    await withdraw();
  }
}

async function serve(
  runtime: Runtime,
  options: StartOptions,
  data: string | undefined,
): Promise<Served> {
  const { DataInUseError, serveEmulator, StoreError } = await import('../../emulator/index.ts');
  try {
    return await serveEmulator({
      now: runtime.now,
      controlToken: crypto.randomUUID(),
      pid: runtime.pid,
      report: (error) => void tellDefect(runtime, error),
      ...(data === undefined ? {} : { data }),
      ...(options.port === undefined ? {} : { port: options.port }),
      ...(options.seed === undefined ? {} : { seed: await readSeed(runtime, options.seed) }),
    });
  } catch (error) {
    if (error instanceof DataInUseError) throw new UsageError(error.message);
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === 'listen') {
      const why = code === 'EADDRINUSE' ? 'is in use' : `cannot be listened on: ${code}`;
      throw new UsageError(`port ${options.port} ${why}`, 'leave --port out to take a free one');
    }
    if (error instanceof StoreError) {
      throw new StateError(error.message, 'give another --data', { cause: error });
    }
    if (data !== undefined && syscall !== undefined) {
      throw new StateError(`${data} cannot be used: ${code}`, 'give another --data', {
        cause: error,
      });
    }
    throw error;
  }
}

/** A request that meets a defect is answered with 500; where it is from stands on standard error. */
async function tellDefect(runtime: Runtime, error: unknown): Promise<void> {
  const { bugReport } = await import('../report.ts');
  await runtime.stderr.write(bugReport(error));
}

async function tellReady(
  runtime: Runtime,
  options: StartOptions,
  record: EmulatorRecord,
  isNew: boolean,
): Promise<void> {
  const { url, blob_url, pid, data } = record;
  if (options.json) {
    const world = isNew ? 'new' : 'kept';
    await printJson(runtime, { base_url: url, url, blob_url, pid, data, world });
    return;
  }
  await printText(runtime, url);
  await note(runtime, options, data === null ? 'nothing is kept' : `data is kept in ${data}`);
  if (!isNew && options.seed !== undefined) {
    await note(runtime, options, 'there is a world already: the seed waits for emulator reset');
  }
  await note(runtime, options, 'next: lectern emulator launch --role student --save NAME');
  await note(runtime, options, `stop it with Ctrl-C, or: kill ${pid}`);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
