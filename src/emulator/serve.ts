import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { handleInOrder } from './http/connection.ts';
import { createEmulator, type Emulator, type EmulatorOptions } from './emulator.ts';
import { listener } from './http/listener.ts';
import { openDataFolder } from './store/data-folder.ts';

export interface ServeOptions extends Pick<
  EmulatorOptions,
  'now' | 'sleep' | 'random' | 'seed' | 'report'
> {
  /** The folder of the data, made where it is not there; without one nothing is kept. */
  readonly data?: string;
  /** The API's port. Left out, the one of the last time is taken if it is free, else any. */
  readonly port?: number;
  /** What opens the control side. */
  readonly controlToken: string;
  /** The ID of this process, told to another that wants the same data. */
  readonly pid: number;
}

export interface Served {
  readonly emulator: Emulator;
  readonly url: string;
  readonly blobUrl: string;
  readonly controlToken: string;
  /** Drops the connections, keeps everything, frees the data. */
  readonly close: () => Promise<void>;
}

const HOST = '127.0.0.1';
const KEEP_ALIVE_MS = 75_000;

/**
 * Systems lend higher ports to outgoing connections: an emulator that comes back would find its own
 * lent out, and the launches of before would lead nowhere.
 */
const QUIET_PORTS = [20_000, 32_000] as const;
const PICKS = 4;

/** Serves an emulator on two ports of loopback: the API and, on an origin of its own, the blobs. */
export async function serveEmulator(options: ServeOptions): Promise<Served> {
  const storage = await openDataFolder(options.data, options.pid);
  const api = createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
  const blobs = createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
  try {
    const last = storage.lastPorts();
    const ports = {
      api: await listen(api, options.port, last?.api),
      blobs: await listen(blobs, undefined, last?.blobs),
    };
    storage.keepPorts(ports);
    const urls = { api: `http://${HOST}:${ports.api}`, blobs: `http://${HOST}:${ports.blobs}` };
    const emulator = createEmulator({ ...options, ...storage, urls });
    await storage.sweep(emulator);
    const own = new Set(Object.values(ports).flatMap(hostsOf));
    handleInOrder(api, listener(emulator, 'api', new Set(hostsOf(ports.api)), own));
    handleInOrder(blobs, listener(emulator, 'blobs', new Set(hostsOf(ports.blobs)), own));
    const close = async (): Promise<void> => {
      await Promise.all([stop(api), stop(blobs)]);
      try {
        emulator.close();
      } finally {
        storage.unlock();
      }
    };
    return {
      emulator,
      url: urls.api,
      blobUrl: urls.blobs,
      controlToken: options.controlToken,
      close,
    };
  } catch (error) {
    await Promise.all([stop(api), stop(blobs)]);
    storage.store.close();
    storage.unlock();
    throw error;
  }
}

/** Listens on the port that was asked for, else on the one of the last time, else on any. */
async function listen(
  server: Server,
  asked: number | undefined,
  last: number | undefined,
): Promise<number> {
  const any = [...Array.from({ length: PICKS }, () => randomInt(...QUIET_PORTS)), 0];
  const tries = asked === undefined ? [...(last === undefined ? [] : [last]), ...any] : [asked];
  for (const [index, port] of tries.entries()) {
    try {
      return await listenOn(server, port);
    } catch (error) {
      if (index === tries.length - 1) throw error;
    }
  }
  return 0;
}

function listenOn(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function hostsOf(port: number): string[] {
  return [`${HOST}:${port}`, `localhost:${port}`];
}
