import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Agent } from 'undici';
import { claimsFromText, type Launch, readLaunch } from '../contract/index.ts';
import { CONTROL_PREFIX } from '../control-request.ts';
import { handleInOrder } from '../emulator/http/connection.ts';
import { listen, LOOPBACK } from '../emulator/http/listen.ts';
import { listener } from '../emulator/http/listener.ts';
import { OwnHosts } from '../emulator/http/own-hosts.ts';
import { createEmulator, type Emulator } from '../emulator/emulator.ts';
import { Findings, type ReviewFinding } from '../emulator/review/findings.ts';
import type { Seed } from '../emulator/state/seed/seed.ts';
import type { ForeignSecrets } from '../emulator/state/state.ts';
import { ledThrough, originsOf } from './addresses.ts';
import { PassedBody } from './body.ts';
import { type LaunchOptions, Launches } from './launches.ts';
import { failAnswer, refuseTarget } from './replies.ts';
import { forward } from './forward.ts';
import { Passing } from './passing.ts';
import { Recorder } from './recorder.ts';

export interface ObserverOptions extends LaunchOptions {
  /** The launch to lead through; without one it comes with a callback. */
  readonly launch?: Launch | undefined;
  /** The port of the service's origin. */
  readonly port?: number | undefined;
  /** The base URL of a tool that is launched by a callback. */
  readonly tool?: string | undefined;
  readonly controlToken: string;
  readonly now?: () => number;
  readonly onStop?: () => void;
  readonly report?: (error: unknown) => void;
}

/** A running observer. */
export interface Observer {
  readonly emulator: Emulator;
  readonly url: string;
  readonly blobUrl: string;
  readonly controlToken: string;
  readonly isOpen: false;
  /** The claims of the launch, with the addresses of the proxy; undefined without one. */
  readonly claims: Record<string, unknown> | undefined;
  /** Where the service, or a browser, sends the callback of the tool. */
  readonly callbackUrl: string | undefined;
  readonly differences: () => ReviewFinding[];
  readonly close: () => Promise<void>;
}

/** Leads the calls of a tool to the service of a launch, and judges both. */
export async function observe(options: ObserverOptions): Promise<Observer> {
  const observing = new Observing(options);
  try {
    return await observing.start();
  } catch (error) {
    await observing.close();
    throw error;
  }
}

const KEEP_ALIVE_MS = 75_000;

class Observing {
  readonly #options: ObserverOptions;
  readonly #agent = new Agent({ connections: 64, pipelining: 1 });
  readonly #servers: Server[] = [];
  readonly #differences = new Findings();
  readonly #secrets: ForeignSecrets = { tokens: [], queries: [] };
  /** The claims of each launch, as they were handed out. */
  readonly #claims = new Map<string, Record<string, unknown>>();
  /** The origins of the launches, each with the one that leads to it. */
  readonly #local = new Map<string, string>();
  #emulator!: Emulator;
  #launches!: Launches;
  #passing!: Passing;
  /** The origin behind the first port. */
  #service = '';
  #apiUrl = '';
  #blobUrl = '';

  constructor(options: ObserverOptions) {
    this.#options = options;
  }

  async start(): Promise<Observer> {
    const { launch, port, tool, controlToken, seedOf } = this.#options;
    const api = await this.#listen(port, (request, response) => this.#answerApi(request, response));
    const blobs = await this.#listen(undefined, (request, response) =>
      this.#passing.passSigned(request, response),
    );
    this.#apiUrl = api.origin;
    this.#blobUrl = blobs.origin;
    this.#emulator = this.#createEmulator(api, launch && seedOf(launch));
    const { state } = this.#emulator;
    this.#launches = new Launches(state, this.#options, this.#secrets);
    this.#passing = new Passing({
      agent: this.#agent,
      launches: this.#launches,
      recorder: new Recorder(this.#emulator, this.#differences),
      blobUrl: this.#blobUrl,
    });
    const claims = launch && (await this.#take(launch));
    const callback =
      tool === undefined
        ? undefined
        : await this.#listen(undefined, (request, response) =>
            this.#handOn(tool, request, response),
          );
    return {
      emulator: this.#emulator,
      url: api.url,
      blobUrl: blobs.url,
      controlToken,
      isOpen: false,
      claims,
      callbackUrl: callback?.url,
      differences: () => this.#differences.shown(),
      close: () => this.close(),
    };
  }

  async close(): Promise<void> {
    await Promise.all(
      this.#servers.map(
        (server) =>
          new Promise<void>((resolve) => {
            server.close(() => resolve());
            server.closeAllConnections();
          }),
      ),
    );
    await this.#agent.destroy();
    this.#emulator?.close();
  }

  #createEmulator(hosts: OwnHosts, seed: Seed = WAITING): Emulator {
    const { controlToken, now, onStop, report } = this.#options;
    const emulator = createEmulator({
      seed,
      controlToken,
      secrets: this.#secrets,
      urls: { api: this.#apiUrl, blobs: this.#blobUrl, isOwn: (each) => hosts.hasOrigin(each) },
      observed: {
        origin: () => this.#service,
        claims: (id) => this.#claims.get(id),
        differences: () => this.#differences.shown(),
        lacks: this.#options.apiKey === undefined ? 'keys' : undefined,
      },
      ...(now && { now }),
      ...(onStop && { onStop }),
      ...(report && { report }),
    });
    const isAllowed = (origin: string): boolean => hosts.hasOrigin(origin);
    this.#answerOwn = listener({ ...emulator, origin: 'api', hosts, isAllowed });
    return emulator;
  }

  /** Answers the console and the control API. */
  #answerOwn: (request: IncomingMessage, response: ServerResponse) => Promise<void> =
    async () => {};

  /** Opens a port of loopback; a request with the name of another host or target is refused. */
  async #listen(port: number | undefined, answer: Answerer): Promise<OwnHosts> {
    const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 });
    this.#servers.push(server);
    const sleep = (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms));
    const place = { address: LOOPBACK, requested: port };
    const hosts = new OwnHosts({ address: LOOPBACK, port: await listen(server, place, sleep) });
    handleInOrder(server, (request, response) => {
      const isOwn = hosts.has(request.headers.host ?? '') && request.url?.startsWith('/');
      if (!isOwn)
        return refuseTarget(response, 'this proxy does not forward to this Host or target');
      answer(request, response).catch((error: unknown) => failAnswer(response, error));
    });
    return hosts;
  }

  /** Makes a launch known; returns its claims, with the addresses of the proxy. */
  async #take(launch: Launch): Promise<Record<string, unknown>> {
    const origins = originsOf(launch);
    const [service = ''] = origins;
    if (this.#service === '') {
      this.#service = service;
      this.#local.set(service, this.#apiUrl);
    }
    for (const origin of origins) {
      if (this.#local.has(origin)) continue;
      const gate = await this.#listen(undefined, (request, response) =>
        this.#passing.pass(request, response, origin),
      );
      this.#local.set(origin, gate.origin);
    }
    const id = this.#launches.enter(launch);
    const claims = ledThrough(launch.claims, this.#local);
    this.#claims.set(id, claims);
    return claims;
  }

  async #answerApi(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.startsWith(CONTROL_PREFIX)) return this.#answerOwn(request, response);
    if (this.#service === '')
      return refuseTarget(response, 'no callback with a launch has arrived yet');
    return this.#passing.pass(request, response, this.#service);
  }

  /** Hands the callback of a tool on, and reads the launch out of it. */
  async #handOn(tool: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    await forward(request, response, {
      agent: this.#agent,
      origin: new URL(tool).origin,
      target: request.url ?? '/',
      sent: new PassedBody(true),
      isKept: false,
      passed: () => {},
      whenSent: (body) => this.#readCallback(body),
    });
  }

  /** A callback whose launch cannot be read is handed on all the same. */
  async #readCallback(body: Buffer | undefined): Promise<void> {
    const read = body === undefined ? undefined : claimsFromText(body.toString());
    if (read === undefined || 'fault' in read) return;
    const launch = readLaunch(read.claims);
    if (launch.token !== undefined && originsOf(launch).length > 0) await this.#take(launch);
  }
}

type Answerer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Before a launch has come. */
const WAITING: Seed = { tools: [{ id: 'tool' }], courses: [{ id: 'waiting' }] };
