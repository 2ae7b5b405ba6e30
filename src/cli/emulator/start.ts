import { reasonOf } from '../../disk/system-error.ts';
import type { Served } from '../../emulator/index.ts';
import { UsageError } from '../../errors.ts';
import { StateError } from '../../errors.ts';
import type { Context } from '../runtime.ts';
import { note, printJson, printText } from '../ui.ts';
import { chaosOf } from './chaos.ts';
import { publishRecord, type EmulatorRecord, createRecord } from './record.ts';
import { readSeed } from './seed-file.ts';
import type { EmulatorStartOptions } from './flags.ts';
import { startCommand } from './start-command.ts';

export async function runStart(context: Context<EmulatorStartOptions>): Promise<void> {
  const { options } = context;
  if (options.memory && options.data !== undefined) {
    throw new UsageError('--memory and --data exclude each other', 'use one of them');
  }
  const data = options.memory
    ? undefined
    : (options.data ?? `${(await context.home()).data}/emulator`);
  const served = await serve(context, data);
  // The two listening ports keep the process alive until they are closed.
  try {
    await servePublished(context, served, data);
  } finally {
    await served.close();
  }
  await note(context, 'the emulator has stopped');
}

/** Publishes the record, so that other commands find the emulator, until interrupted. */
async function servePublished(
  context: Context<EmulatorStartOptions>,
  served: Served,
  data: string | undefined,
): Promise<void> {
  const record = createRecord(context, served, data);
  const withdraw = await publishRecord(context, (await context.home()).data, record);
  try {
    await printReady(context, record, served.emulator.isNew);
    await aborted(context.interrupt);
  } finally {
    await withdraw();
  }
}

/** Where its data could be instead: the default folder is below the home. */
function elsewhere({ data }: EmulatorStartOptions): string {
  return data === undefined ? 'set LECTERN_HOME to another folder' : 'use another --data folder';
}

async function serve(
  context: Context<EmulatorStartOptions>,
  data: string | undefined,
): Promise<Served> {
  const { options } = context;
  const { DataInUseError, serveEmulator, StoreError } = await import('../../emulator/index.ts');
  try {
    return await serveEmulator({
      now: context.now,
      controlToken: crypto.randomUUID(),
      pid: context.pid,
      ...chaosOf(options),
      report: (error) => void reportDefect(context, error),
      capture: options.capture ?? false,
      startedWith: startCommand(options),
      ...(data === undefined ? {} : { data }),
      ...(options.port === undefined ? {} : { port: options.port }),
      ...(options.seed === undefined ? {} : { seed: await readSeed(context, options.seed) }),
    });
  } catch (error) {
    if (error instanceof DataInUseError) throw new UsageError(error.message);
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === 'listen') {
      const why = code === 'EADDRINUSE' ? 'is in use' : `is not available: ${code}`;
      throw new UsageError(`port ${options.port} ${why}`, 'omit --port to use a free port');
    }
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

/** A defect is answered with 500; its stack trace is printed to standard error. */
async function reportDefect(context: Context, error: unknown): Promise<void> {
  const { bugReport } = await import('../report.ts');
  await context.stderr.write(bugReport(error));
}

async function printReady(
  context: Context<EmulatorStartOptions>,
  record: EmulatorRecord,
  isNew: boolean,
): Promise<void> {
  const { options } = context;
  const { url, blob_url, pid, data } = record;
  if (options.json) {
    const world = isNew ? 'new' : 'kept';
    await printJson(context, { base_url: url, url, blob_url, pid, data, world });
    return;
  }
  await printText(context, url);
  await note(context, data === null ? 'data is kept in memory' : `data is kept in ${data}`);
  if (!isNew && options.seed !== undefined) {
    await note(
      context,
      'the emulator has data already: the seed will be applied by emulator reset',
    );
  }
  await note(context, 'next: lectern emulator launch --role student --save NAME');
  await note(context, `stop it with Ctrl-C, or: kill ${pid}`);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
