import { createServer, type Server } from 'node:http';
import { handleInOrder } from './http/connection.ts';
import { type Answers, CONTROL_PREFIX, type Taken } from './control/index.ts';
import { createEmulator, type Emulator, type EmulatorOptions } from './emulator.ts';
import { askAgain } from './service/external/provision-calls.ts';
import { machineSleep } from './state/delays.ts';
import { blobsOf } from './state/files.ts';
import { HOST, listen } from './http/listen.ts';
import { listener, type Site } from './http/listener.ts';
import { openDataFolder } from './store/data-folder.ts';

export interface ServeOptions extends Pick<
  EmulatorOptions,
  'now' | 'sleep' | 'random' | 'seed' | 'report' | 'capture' | 'chaos' | 'startedWith'
> {
  /** The data folder, created if missing; by default everything is kept in memory. */
  readonly data?: string;
  /** The API's port; defaults to the last one of the data folder if it is free, otherwise any. */
  readonly port?: number;
  /** Bearer token of the control API; defaults to a new one. */
  readonly controlToken?: string;
  /** The ID of this process, shown to others that try to use the same data folder. */
  readonly pid?: number;
}

export interface Served {
  readonly emulator: Emulator;
  readonly url: string;
  readonly blobUrl: string;
  readonly controlToken: string;
  /**
   * Calls the control API, such as `POST clock` with `{ advance_seconds: 3600 }`: see the table at
   * `CONTROL_PREFIX`. Rejects with an `Error` if the emulator refuses.
   */
  readonly control: ControlCall;
  /** Closes all connections, stores everything and unlocks the data folder; once, however often it is called. */
  readonly close: () => Promise<void>;
}

type ControlCall = <Name extends keyof Answers>(
  operation: Name,
  taken?: Taken[Name],
) => Promise<Answers[Name]>;

const KEEP_ALIVE_MS = 75_000;
/** How often overdue provision requests are looked for; moving the clock looks at once. */
const ASK_AGAIN_MS = 60_000;

/**
 * Serves an emulator on two ports of loopback: the API and, on an origin of its own, the blobs.
 *
 * @throws {DataInUseError} another process serves the same `data`
 * @throws {SeedError} the seed is invalid
 * @example
 * const { emulator, close } = await serveEmulator();
 * const claims = emulator.launch({ role: 'student' });
 */
export async function serveEmulator(options: ServeOptions = {}): Promise<Served> {
  const storage = await openDataFolder(options.data, options.pid);
  const api = createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
  const blobs = createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
  try {
    const { signal } = new AbortController();
    const sleep = (ms: number): Promise<void> => (options.sleep ?? machineSleep)(ms, signal);
    const last = storage.lastPorts();
    const ports = {
      api: await listen(api, { requested: options.port, last: last?.api }, sleep),
      blobs: await listen(blobs, { last: last?.blobs }, sleep),
    };
    storage.keepPorts(ports);
    const urls = { api: `http://${HOST}:${ports.api}`, blobs: `http://${HOST}:${ports.blobs}` };
    const { controlToken = crypto.randomUUID() } = options;
    const emulator = createEmulator({ ...options, ...storage, urls, controlToken });
    await storage.blobs.sweep(new Set(blobsOf(emulator.state)));
    handleInOrder(api, listener(apiSite(emulator, ports)));
    handleInOrder(blobs, listener(blobSite(emulator, ports)));
    const tools: Server[] = [];
    await emulator.state.hosted.origins.listenWith(async (tool, lastPort) => {
      const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
      tools.push(server);
      const port = await listen(server, { last: lastPort }, sleep);
      handleInOrder(server, listener(toolSite(emulator, tool, port)));
      return port;
    });
    const asking = setInterval(() => {
      askAgain(emulator.state).catch((error: unknown) => options.report?.(error));
    }, ASK_AGAIN_MS);
    asking.unref();
    let closed: Promise<void> | undefined;
    const closeAll = async (): Promise<void> => {
      clearInterval(asking);
      await Promise.all([api, blobs, ...tools].map(stop));
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
      controlToken,
      control: controlSide(emulator, urls.api, controlToken),
      close: () => (closed ??= closeAll()),
    };
  } catch (error) {
    await Promise.all([stop(api), stop(blobs)]);
    storage.store.close();
    storage.unlock();
    throw error;
  }
}

interface Ports {
  readonly api: number;
  readonly blobs: number;
}

/** The control API accepts only pages of its own origin; the service also frames of hosted tools. */
function apiSite(emulator: Emulator, ports: Ports): Site {
  const hosts = new Set(hostsOf(ports.api));
  const mayCall = callersOf(emulator, ports);
  const isAllowed = (origin: string, target: string): boolean =>
    target.startsWith(CONTROL_PREFIX) ? hosts.has(hostOf(origin)) : mayCall(origin);
  return { ...emulator, origin: 'api', hosts, isAllowed };
}

function blobSite(emulator: Emulator, ports: Ports): Site {
  const hosts = new Set(hostsOf(ports.blobs));
  return { ...emulator, origin: 'blobs', hosts, isAllowed: callersOf(emulator, ports) };
}

/** The origin of a hosted tool accepts only its own pages. */
function toolSite({ handleTool }: Emulator, tool: string, port: number): Site {
  const hosts = new Set(hostsOf(port));
  return {
    origin: 'api',
    hosts,
    isAllowed: (origin) => hosts.has(hostOf(origin)),
    handle: (request) => handleTool(tool, request),
    takesStream: () => false,
    knowsCaller: () => false,
    readable: (_request, reply) => reply,
  };
}

/** Whether a page of an origin may call the service: one of its own two, or a frame's. */
function callersOf({ state }: Emulator, ports: Ports): (origin: string) => boolean {
  const own = new Set(Object.values(ports).flatMap(hostsOf));
  return (origin) => own.has(hostOf(origin)) || state.hosted.origins.has(origin);
}

function hostOf(origin: string): string {
  return origin.replace(/^http:\/\//, '');
}

/** Calls the control API without a connection. */
function controlSide({ fetch }: Emulator, url: string, token: string): ControlCall {
  return async <Name extends keyof Answers>(operation: Name, taken: object = {}) => {
    const [method = '', path = ''] = operation.split(' ');
    const isQuery = method === 'GET';
    const query = isQuery
      ? `?${new URLSearchParams(taken as Record<string, string>).toString()}`
      : '';
    const request = new Request(`${url}${CONTROL_PREFIX}${path}${query}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(!isQuery && { body: JSON.stringify(taken) }),
    });
    const response = await fetch(request);
    const answer: unknown = await response.json();
    if (response.ok) return answer as Answers[Name];
    throw new Error(`${operation}: ${response.status} ${JSON.stringify(answer)}`);
  };
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
