import type { Seed, Served, ServeOptions } from '../../emulator/index.ts';
import type { Runtime } from '../runtime.ts';
import { publishRecord } from './record.ts';

/** An in-memory emulator that runs in this process. */
export interface HostedEmulator {
  readonly served: Served;
  /** A temporary home in which the emulator is found, without anything of the user's own. */
  readonly folder: string;
  readonly close: () => Promise<void>;
}

/** Starts an emulator in memory for processes that this one starts. */
export async function hostEmulator(
  runtime: Runtime,
  seed?: Seed,
  trouble: Pick<ServeOptions, 'chaos' | 'vary' | 'onReset'> = {},
): Promise<HostedEmulator> {
  const { serveEmulator } = await import('../../emulator/index.ts');
  const folder = await (await runtime.disk()).temporaryFolder();
  const served = await serveEmulator({
    now: runtime.now,
    controlToken: crypto.randomUUID(),
    pid: runtime.pid,
    ...trouble,
    seed,
  });
  const withdraw = await publishRecord(runtime, folder, served).catch(async (error: unknown) => {
    await served.close();
    throw error;
  });
  const close = async (): Promise<void> => {
    await withdraw().finally(served.close);
  };
  return { served, folder, close };
}
