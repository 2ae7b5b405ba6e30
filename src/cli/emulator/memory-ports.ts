import { isObject } from '../../contract/index.ts';
import type { Served } from '../../emulator/index.ts';
import type { Context } from '../runtime.ts';
import type { EmulatorStartOptions } from './flags.ts';
import { readinessOf } from './readiness.ts';

interface Ports {
  readonly api: number;
  readonly blobs: number;
}

const MAX_BYTES = 1024;

async function fileOf(context: Context): Promise<string> {
  return `${(await context.home()).data}/memory-ports.json`;
}

/**
 * The ports of this home's last emulator in memory, unless it still runs: open pages reconnect
 * after a restart. An emulator with data has the ports in its folder.
 */
export async function lastMemoryPorts(
  context: Context<EmulatorStartOptions>,
): Promise<Ports | undefined> {
  const { memory, port, host } = context.options;
  if (!memory || port !== undefined || host !== undefined) return undefined;
  const file = await fileOf(context);
  const disk = await context.disk();
  if (!(await disk.exists(file))) return undefined;
  try {
    const value: unknown = JSON.parse(
      new TextDecoder().decode(await disk.readFile(file, MAX_BYTES)),
    );
    if (!isObject(value) || !isPort(value.api) || !isPort(value.blobs)) return undefined;
    const readiness = await readinessOf(context, `http://127.0.0.1:${value.api}`);
    return readiness === 'gone' ? { api: value.api, blobs: value.blobs } : undefined;
  } catch {
    // A damaged file is ignored.
    return undefined;
  }
}

function isPort(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) < 65_536;
}

/** Saves the ports of an emulator in memory for the next one. */
export async function keepMemoryPorts(
  context: Context<EmulatorStartOptions>,
  { url, blobUrl }: Served,
): Promise<void> {
  if (!context.options.memory) return;
  const [api, blobs] = [url, blobUrl].map((each) => Number(new URL(each).port));
  const disk = await context.disk();
  await disk.writeFile(await fileOf(context), `${JSON.stringify({ api, blobs })}\n`, {
    secret: true,
  });
}
