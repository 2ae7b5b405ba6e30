import { createServer, type Server, type ServerResponse } from 'node:http';
import { handleInOrder } from './http/connection.ts';
import { CONTROL_PREFIX, controlRequest } from '../control-request.ts';
import type { Answers, Taken } from './control/index.ts';
import { frameHost } from './control/course-address.ts';
import { validSeed, createEmulator, type Emulator, type EmulatorOptions } from './emulator.ts';
import { askAgain } from './service/external/provision-calls.ts';
import { chosenBy } from './freedom/vary.ts';
import { BlobHttpError, blobErrorReply } from './service/files/blob-http-error.ts';
import { storeSeedCode } from './service/hosted/upload.ts';
import { machineSleep } from './state/delays.ts';
import { listen, LOOPBACK, type WantedPort } from './http/listen.ts';
import { listener, type Site } from './http/listener.ts';
import { errorReply, HttpError, type Reply } from './http/messages.ts';
import { isOpenAddress, OwnHosts } from './http/own-hosts.ts';
import { Exchanges } from './review/exchanges.ts';
import { openSessionFile } from './session/import.ts';
import { renewKeys } from './session/redact.ts';
import { keepSeedFiles } from './state/seed/seed-rows.ts';
import { Blobs } from './store/blobs.ts';
import type { Store } from './store/store.ts';
import { keepPorts, lastPorts, openDataFolder, type Ports } from './store/data-folder.ts';

export interface ServeOptions extends Pick<
  EmulatorOptions,
  | 'now'
  | 'sleep'
  | 'random'
  | 'seed'
  | 'vary'
  | 'report'
  | 'chaos'
  | 'startedWith'
  | 'onStop'
  | 'onReset'
  | 'isReady'
> {
  /** The data folder, created if missing; by default everything is kept in memory. */
  readonly data?: string | undefined;
  /** The file of a session to look at, in place of `data`: changes go to a copy of it. */
  readonly session?: string | undefined;
  /** The API's port; defaults to the last one of the data folder if it is free, otherwise any. */
  readonly port?: number | undefined;
  /** Ports to use if they are free, when there is no data folder that has the last ones. */
  readonly lastPorts?: Ports | undefined;
  /** The IP address to listen on; defaults to 127.0.0.1. `0.0.0.0` and `::` are all addresses. */
  readonly host?: string | undefined;
  /** The port of the signed URLs; defaults like `port`. */
  readonly blobPort?: number | undefined;
  /**
   * The port of the first hosted tool's frames, in the order of the seed; the next tool has the
   * next port. All are opened at once. By default a tool gets a port when it is first shown.
   */
  readonly toolPort?: number | undefined;
  /** The origin of the API as seen from elsewhere, used in the URLs of launches. */
  readonly publicUrl?: string | undefined;
  /** The same for signed URLs; defaults to the listening address. */
  readonly publicBlobUrl?: string | undefined;
  /** Bearer token of the control API; defaults to a new one. */
  readonly controlToken?: string;
  /** The ID of this process, reported to others that try to use the same data folder. */
  readonly pid?: number;
}

export interface Served {
  readonly emulator: Emulator;
  readonly url: string;
  readonly blobUrl: string;
  readonly controlToken: string;
  /** Whether other machines can reach it. */
  readonly isOpen: boolean;
  /**
   * Calls the control API, such as `POST clock` with `{ advance_seconds: 3600 }`: see the table at
   * `CONTROL_PREFIX`. Rejects with an `Error` if the emulator refuses.
   */
  readonly control: ControlCall;
  /**
   * Closes all connections, stores everything and unlocks the data folder. It can be called
   * repeatedly.
   */
  readonly close: () => Promise<void>;
}

type ControlCall = <Name extends keyof Answers>(
  operation: Name,
  taken?: Taken[Name],
  zip?: Uint8Array,
) => Promise<Answers[Name]>;

const KEEP_ALIVE_MS = 75_000;
/** How often overdue provision requests are checked for; moving the clock checks at once. */
const ASK_AGAIN_MS = 60_000;

/**
 * Serves an emulator on two ports, of loopback unless `host` is given: the API and, on an origin of its
 * own, the blobs.
 *
 * @throws {DataInUseError} another process serves the same `data`
 * @throws {SeedError} the seed is invalid
 * @example
 * const { emulator, close } = await serveEmulator();
 * const claims = emulator.launch({ role: 'student' });
 */
export async function serveEmulator(options: ServeOptions = {}): Promise<Served> {
  const storage = await openStorage(options);
  const api = createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
  const blobs = createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
  const busy = [
    answerBusy(api, errorReply(new HttpError(503, 'emulator.starting', STARTING))),
    answerBusy(
      blobs,
      blobErrorReply(chosenBy(undefined), new BlobHttpError('ServiceUnavailable', STARTING)),
    ),
  ];
  const tools: Server[] = [];
  const { exchanges } = storage;
  const { host: address = LOOPBACK } = options;
  try {
    const { signal } = new AbortController();
    const sleep = (ms: number): Promise<void> => (options.sleep ?? machineSleep)(ms, signal);
    const last = lastPorts(storage.store) ?? options.lastPorts;
    const ports = {
      api: await listen(api, { address, requested: options.port, last: last?.api }, sleep),
      blobs: await listen(
        blobs,
        { address, requested: options.blobPort, last: last?.blobs },
        sleep,
      ),
    };
    keepPorts(storage.store, ports);
    const { publicUrl, publicBlobUrl, controlToken = crypto.randomUUID() } = options;
    const hosts = new OwnHosts({ address, port: ports.api }, publicUrl);
    const blobHosts = new OwnHosts({ address, port: ports.blobs }, publicBlobUrl);
    const isOpen = isOpenAddress(address);
    if (options.seed) {
      await keepSeedFiles(new Blobs(storage.store), validSeed(options.seed).rows ?? []);
    }
    const isOwn = (origin: string): boolean => hosts.hasOrigin(origin);
    const emulator = createEmulator({
      ...options,
      store: storage.store,
      exchanges,
      urls: { api: hosts.origin, blobs: blobHosts.origin, isOwn, isOpen },
      controlToken,
    });
    // The clock continues where it was: tokens are as live as they were.
    if (storage.exported !== undefined) {
      emulator.state.clock.set(storage.exported);
      renewKeys(emulator.state);
    }
    emulator.state.blobs.sweep();
    if (options.seed) await storeSeedCode(emulator.state, options.seed);
    await serveTools(emulator, options.toolPort, async (tool, wanted) => {
      const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
      tools.push(server);
      const port = await listen(server, { address, ...wanted }, sleep);
      const { hostname } = new URL(hosts.origin);
      const own = new OwnHosts({ address, port }, `http://${hostname}:${port}`);
      handleInOrder(server, listener(toolSite(emulator, tool, own)));
      return port;
    });
    for (const end of busy) end();
    const [apiSite, blobSite] = sitesOf(emulator, hosts, blobHosts);
    handleInOrder(api, listener(apiSite));
    handleInOrder(blobs, listener(blobSite));
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
      url: hosts.url,
      blobUrl: blobHosts.url,
      controlToken,
      isOpen,
      control: controlSide(emulator, controlToken),
      close: () => (closed ??= closeAll()),
    };
  } catch (error) {
    await Promise.all([api, blobs, ...tools].map(stop));
    exchanges.close();
    storage.store.close();
    storage.unlock();
    throw error;
  }
}

/** The databases of an emulator, and how they are given back. */
interface Storage {
  readonly store: Store;
  readonly exchanges: Exchanges;
  /** The time of a session, by the emulator's clock. */
  readonly exported?: number | undefined;
  readonly unlock: () => void;
}

async function openStorage({ session, data, pid }: ServeOptions): Promise<Storage> {
  if (session !== undefined) return { ...(await openSessionFile(session)), unlock: () => {} };
  const { store, trafficFile, unlock } = await openDataFolder(data, pid);
  return { store, exchanges: new Exchanges(trafficFile), unlock };
}

const STARTING = 'the emulator is starting';

/** Answers with an error while the state is loaded; call the returned function to end that. */
function answerBusy(server: Server, { status, headers, body }: Reply): () => void {
  const answer = (_: unknown, response: ServerResponse): void => {
    response.writeHead(status, { ...headers, connection: 'close', 'retry-after': '1' }).end(body);
  };
  server.on('request', answer);
  return () => void server.off('request', answer);
}

/** Serves a tool; resolves with its port. */
type OpenToolPort = (tool: string, wanted: Omit<WantedPort, 'address'>) => Promise<number>;

/**
 * Serves hosted tools on their own ports when they are first shown; those with a fixed port at
 * once, so that a taken port is reported at the start.
 */
async function serveTools(
  { state, hostedTools }: Emulator,
  firstPort: number | undefined,
  openToolPort: OpenToolPort,
): Promise<void> {
  const { origins } = state.hosted;
  let isStarting = true;
  const serve = (tool: string, last: number | undefined): Promise<number> => {
    if (firstPort === undefined) return openToolPort(tool, { last });
    const port = firstPort + hostedTools().indexOf(tool);
    // A tool that is imported later may find its port in use.
    return openToolPort(tool, isStarting ? { requested: port } : { last: port });
  };
  const host = frameHost(state.urls, false);
  await origins.listenWith(serve, [host, frameHost(state.urls, true)]);
  if (firstPort !== undefined) for (const tool of hostedTools()) await origins.open(tool, host);
  isStarting = false;
}

/** The control API accepts only pages of its own origin; the service also frames of hosted tools. */
function sitesOf(
  emulator: Emulator,
  hosts: OwnHosts,
  blobHosts: OwnHosts,
): [api: Site, blobs: Site] {
  const { origins } = emulator.state.hosted;
  const mayCall = (origin: string): boolean =>
    hosts.hasOrigin(origin) || blobHosts.hasOrigin(origin) || origins.has(origin);
  const isAllowed = (origin: string, target: string): boolean =>
    target.startsWith(CONTROL_PREFIX) ? hosts.hasOrigin(origin) : mayCall(origin);
  return [
    { ...emulator, origin: 'api', hosts, isAllowed },
    { ...emulator, origin: 'blobs', hosts: blobHosts, isAllowed: mayCall },
  ];
}

/** The origin of a hosted tool accepts only its own pages. */
function toolSite({ handleTool }: Emulator, tool: string, hosts: OwnHosts): Site {
  return {
    origin: 'api',
    hosts,
    isAllowed: (origin) => hosts.hasOrigin(origin),
    handle: (request) => handleTool(tool, request),
    takesStream: () => false,
    refused: (_request, error) => errorReply(error),
  };
}

/** Calls the control API without a connection. */
function controlSide({ handle }: Emulator, token: string): ControlCall {
  return async <Name extends keyof Answers>(
    operation: Name,
    taken: object = {},
    zip?: Uint8Array,
  ) => {
    const raw = zip && { type: 'application/zip', body: zip };
    const { body: sent = '', ...request } = controlRequest(operation, taken, raw);
    const { status, body } = await handle({
      ...request,
      headers: { ...request.headers, authorization: `Bearer ${token}` },
      body: typeof sent === 'string' ? Buffer.from(sent) : sent,
      origin: 'api',
    });
    if (status === 200) return JSON.parse(String(body)) as Answers[Name];
    throw new Error(`${operation}: ${status} ${String(body)}`);
  };
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
