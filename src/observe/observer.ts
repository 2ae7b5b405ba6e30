import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { Agent } from 'undici';
import {
  type Code,
  claimsFromText,
  isObject,
  isProvisionRequest,
  type Launch,
  launchOrigin,
  readLaunch,
  splitUrl,
} from '../contract/index.ts';
import { CONTROL_PREFIX } from '../control-request.ts';
import { MIN_SECRET_CHARACTERS } from '../redaction.ts';
import { handleInOrder } from '../emulator/http/connection.ts';
import { listen, LOOPBACK } from '../emulator/http/listen.ts';
import { listener } from '../emulator/http/listener.ts';
import { bearerOf, errorReply, HttpError, type PlainRequest } from '../emulator/http/messages.ts';
import { OwnHosts } from '../emulator/http/own-hosts.ts';
import { createEmulator, type Emulator } from '../emulator/emulator.ts';
import type { ReviewFinding } from '../emulator/review/findings.ts';
import { callerOf } from '../emulator/service/call.ts';
import type { Target } from '../emulator/service/addresses.ts';
import { finishLevel, type RowNames } from '../emulator/state/rows.ts';
import { applySeed, type Seed } from '../emulator/state/seed/seed.ts';
import { LaunchAddresses, ledThrough, originsOf } from './addresses.ts';
import { Differences, findDifferences } from './differences.ts';
import { jsonOf, PassedBody } from './exchange.ts';
import { FactFinder, isSuccess } from './facts.ts';
import { forward, type Passed } from './forward.ts';
import { SignedAddresses, signedUrlIn, withString } from './signed.ts';

/** What only the service itself knows. */
const NOT_JUDGED: readonly Code[] = ['request.api_key_not_valid'];

export interface ObserverOptions {
  /** The launch to lead through; without one it comes with a callback. */
  readonly launch?: Launch | undefined;
  /** The world of a launch, as `launch capture` writes it, with its IDs. */
  readonly seedOf: (launch: Launch) => Seed;
  /** The port of the service's origin. */
  readonly port?: number | undefined;
  /** The base URL of a tool that is launched by a callback. */
  readonly tool?: string | undefined;
  /** The API key of the tool, where it is known: its calls are judged too. */
  readonly apiKey?: string | undefined;
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
  /** The claims of the launch, led through; undefined without one. */
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
const REFUSED = 421;

class Observing {
  readonly #options: ObserverOptions;
  readonly #agent = new Agent({ connections: 64, pipelining: 1 });
  readonly #servers: Server[] = [];
  readonly #signed = new SignedAddresses();
  readonly #differences = new Differences();
  readonly #secrets: string[] = [];
  /** The claims of each launch, as they were handed out. */
  readonly #claims = new Map<string, Record<string, unknown>>();
  readonly #addresses: { readonly origin: string; readonly of: LaunchAddresses }[] = [];
  /** The origins of the launches, each with the one that leads to it. */
  readonly #local = new Map<string, string>();
  /** The origin that each token may go to. */
  readonly #tokens = new Map<string, string>();
  #emulator!: Emulator;
  #facts!: FactFinder;
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
      this.#answerSigned(request, response),
    );
    this.#apiUrl = api.origin;
    this.#blobUrl = blobs.origin;
    this.#emulator = this.#createEmulator(api, launch && seedOf(launch));
    const { world } = this.#emulator.state;
    this.#facts = new FactFinder((row: RowNames) => {
      const location = world.locations.get(row.location);
      const member = world.members.get(row.member);
      const course = row.course || location?.course || member?.course || '';
      return { ...row, tool: row.tool || location?.tool || '', course };
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
        notJudged: this.#options.apiKey === undefined ? NOT_JUDGED : [],
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
      if (!isOwn) return refuse(response, 'this Host or target is not led through here');
      answer(request, response).catch((error: unknown) => fail(response, error));
    });
    return hosts;
  }

  /** Makes a launch known; returns its claims, led through. */
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
        this.#pass(request, response, origin),
      );
      this.#local.set(origin, gate.origin);
    }
    const id = this.#enter(launch, service);
    const claims = ledThrough(launch.claims, this.#local);
    this.#claims.set(id, claims);
    return claims;
  }

  /** Enters a launch into the world and among the tokens; returns its ID. */
  #enter(launch: Launch, service: string): string {
    const { state } = this.#emulator;
    const seed = this.#options.seedOf(launch);
    applySeed(state, seed);
    const { apiKey } = this.#options;
    const [tool] = state.world.tools.values();
    if (apiKey !== undefined && tool) state.world.tools.set(tool.id, { ...tool, apiKey });
    const [course, parent] = seed.courses;
    const [location] = course?.locations ?? [];
    const ids = {
      tool: location?.tool ?? '',
      course: course?.id ?? '',
      location: location?.id ?? '',
      member: course?.members?.[0]?.id ?? '',
      parent: { course: parent?.id ?? '', location: parent?.locations?.[0]?.id ?? '' },
    };
    this.#addresses.push({ origin: service, of: new LaunchAddresses(launch, ids) });
    this.#keepSecrets(launch);
    const { claims, token = '' } = launch;
    const launchId = typeof claims.launch_id === 'string' ? claims.launch_id : state.newId();
    const now = state.clock.now();
    const { member } = ids;
    state.tokens.set(token, {
      token,
      kind: isProvisionRequest(launch) ? 'provision' : 'launch',
      launchId,
      tool: ids.tool,
      course: ids.course,
      location: ids.location,
      member,
      user: state.world.members.get(member)?.user ?? '',
      account: launch.gradeSubmit?.includes('/account/v1/users/') === true,
      issued: now,
      lastCall: now,
      storedCall: now,
      ended: '',
    });
    this.#tokens.set(token, launchOrigin(launch) ?? '');
    return launchId;
  }

  /** The token, and the queries of its addresses, which may be signatures. */
  #keepSecrets({ token = '', storage, files, gradeSubmit, provision }: Launch): void {
    const urls = [storage, files, provision].flatMap((each) => Object.values(each));
    const queries = [...urls, gradeSubmit ?? ''].map((url) => {
      const split = splitUrl(url);
      return 'fault' in split ? '' : split.query;
    });
    const secrets = [token, ...queries].filter(({ length }) => length >= MIN_SECRET_CHARACTERS);
    for (const secret of secrets) this.#secrets.push(secret);
  }

  async #answerApi(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.startsWith(CONTROL_PREFIX)) return this.#answerOwn(request, response);
    if (this.#service === '')
      return refuse(response, 'no launch has come through the callback yet');
    return this.#pass(request, response, this.#service);
  }

  /** Leads a request to the origin of a launch. */
  async #pass(request: IncomingMessage, response: ServerResponse, origin: string): Promise<void> {
    const target = request.url ?? '';
    const found = this.#find(origin, target);
    const hasForm = request.method === 'PUT' || request.method === 'GET';
    await this.#lead(request, response, {
      origin,
      target,
      what: found,
      place: 'api',
      ...(found?.kind === 'file' &&
        hasForm && { rewrite: (body) => this.#leadSigned(found, body) }),
    });
  }

  #find(origin: string, target: string): Target | undefined {
    for (const each of this.#addresses) {
      const found = each.origin === origin ? each.of.find(target) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Leads the signed address in an answer through as well. */
  #leadSigned(target: Extract<Target, { kind: 'file' }>, body: Buffer): Buffer {
    const signed = signedUrlIn(body);
    const split = signed && splitUrl(signed.url);
    if (signed === null || split === null || 'fault' in split) return body;
    const { origin, path, query } = split;
    const isUpload = signed.expires === undefined;
    const local = this.#signed.add({
      origin,
      target: `${path || '/'}${query}`,
      kind: isUpload ? 'upload' : 'download',
      row: this.#rowOf(target),
      key: target.key,
      expires: signed.expires,
    });
    return Buffer.from(withString(body.toString(), signed.url, this.#blobUrl + local));
  }

  #rowOf(target: Extract<Target, { kind: 'file' }>): string {
    const answer = { method: 'GET', status: 200, sent: undefined, body: undefined } as const;
    const facts = this.#facts.find({ ...answer, target, caller: { credential: null } });
    return facts.row?.key ?? '';
  }

  /** Leads a request to a signed address that was handed out. */
  async #answerSigned(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = this.#signed.find(request.url ?? '');
    if (address === undefined)
      return refuse(response, 'no such signed address was handed out here');
    const { origin, target, row, key, number } = address;
    await this.#lead(request, response, {
      origin,
      target,
      what: undefined,
      place: 'blobs',
      facts: (status, body) => {
        if (isSuccess({ status }) && request.method === 'POST') return { uploaded: { row, key } };
        const isOver = status === 403 && /expired/i.test(body?.toString() ?? '');
        return isOver ? { expired: String(number) } : {};
      },
    });
  }

  async #lead(request: IncomingMessage, response: ServerResponse, way: Leading): Promise<void> {
    const begun = performance.now();
    const { origin, target, place, rewrite } = way;
    const bearer = bearerOf(request as { headers: PlainRequest['headers'] });
    const own = bearer === undefined ? undefined : this.#tokens.get(bearer);
    if (own !== undefined && (place === 'blobs' || own !== origin)) {
      this.#record(request, response, way, { status: REFUSED, begun });
      return refuse(response, 'the token of a launch goes to the origin of its service alone');
    }
    const sent = new PassedBody(place === 'api');
    let isPassed = false;
    try {
      await forward(request, response, {
        agent: this.#agent,
        origin,
        target,
        sent,
        isKept: place === 'api',
        rewrite,
        passed: (passed) => {
          isPassed = true;
          this.#record(request, response, way, { ...passed, sent, begun });
        },
      });
    } catch (error) {
      if (!isPassed) this.#record(request, response, way, { status: 0, sent, begun });
      fail(response, error);
    }
  }

  /** Records an exchange, and compares it with the contract. */
  #record(
    request: IncomingMessage,
    response: ServerResponse,
    { what, place, target, facts }: Leading,
    {
      status,
      headers,
      sent,
      answered,
      body,
      begun,
    }: Partial<Passed> & { status: number; sent?: PassedBody; begun: number },
  ): void {
    const { state } = this.#emulator;
    const method = request.method ?? '';
    const plain: PlainRequest = {
      method,
      target,
      headers: request.headers,
      body: sent?.bytes ?? (sent?.size ? Readable.from([]) : NO_BYTES),
      origin: place,
      isGone: () => response.destroyed && !response.writableFinished,
    };
    const caller = callerOf(state, plain);
    const answer = { method, target: what, status, sent: sent?.bytes, body, caller };
    const isAnswered = status > 0 && headers !== undefined;
    const found = facts?.(status, body) ?? this.#facts.find(answer);
    if (what?.kind === 'provision' && isAnswered && isSuccess(answer)) {
      finishLevel(state, { ...what, ...this.#levelOf(what) });
    }
    const length = answered?.size ?? 0;
    const number = this.#emulator.observe({
      request: plain,
      target: what,
      begun,
      answered: {
        facts: found,
        reply: {
          status,
          headers: { ...headers, 'content-length': String(length) },
          body: recorded(what?.kind === 'file' ? body && withoutSignature(body) : body, length),
          ...(status === 0 && { cutAfterBytes: 0 }),
        },
      },
    });
    if (!isAnswered || place === 'blobs') return;
    findDifferences(answer, (code, params) => this.#differences.add(code, params, number));
  }

  #levelOf({ location }: { readonly location: string }): { tool?: string; course?: string } {
    const placed = this.#emulator.state.world.locations.get(location);
    return placed === undefined ? {} : { tool: placed.tool, course: placed.course };
  }

  /** Hands the callback of a tool on, and reads the launch out of it. */
  async #handOn(tool: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await forward(request, response, {
        agent: this.#agent,
        origin: new URL(tool).origin,
        target: request.url ?? '/',
        sent: new PassedBody(true),
        isKept: false,
        passed: () => {},
        whenSent: (body) => this.#readCallback(body),
      });
    } catch (error) {
      fail(response, error);
    }
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

interface Leading {
  readonly origin: string;
  readonly target: string;
  readonly what: Target | undefined;
  readonly place: PlainRequest['origin'];
  readonly rewrite?: (body: Buffer) => Buffer;
  readonly facts?: (
    status: number,
    body: Buffer | undefined,
  ) => Parameters<Emulator['observe']>[0]['answered']['facts'];
}

const NO_BYTES = new Uint8Array();

/** Before a launch has come. */
const WAITING: Seed = { tools: [{ id: 'tool' }], courses: [{ id: 'waiting' }] };

/** A body as it is recorded: a text where it is one, and a stream where it was not kept. */
function recorded(body: Buffer | undefined, size: number): string | Uint8Array | Readable | null {
  if (body === undefined) return size === 0 ? null : Readable.from([]);
  const text = body.toString();
  return text.includes('\ufffd') ? body : text;
}

/** The answer to a declaration, or a file's record, without what gives access to the bytes. */
function withoutSignature(body: Buffer): Buffer {
  const answer = jsonOf(body);
  if (!isObject(answer) || typeof answer.url !== 'string') return body;
  const { fields } = answer;
  const names = isObject(fields) ? Object.keys(fields).map((name) => [name, '…'] as const) : [];
  const url = answer.url.replace(/\?.*/s, '?…');
  const hidden = { ...answer, url, ...(isObject(fields) && { fields: Object.fromEntries(names) }) };
  return Buffer.from(JSON.stringify(hidden));
}

function refuse(response: ServerResponse, why: string): void {
  send(response, new HttpError(REFUSED, 'observe.other_target', `${why} (lectern observe)`));
}

/** The service does not answer, or its answer broke off. */
function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const { code, message } = error as NodeJS.ErrnoException;
  const why = `lectern observe got no answer from the service: ${code ?? message}`;
  send(response, new HttpError(502, 'observe.no_answer', why));
}

function send(response: ServerResponse, error: HttpError): void {
  const { status, headers, body } = errorReply(error);
  response.writeHead(status, { ...headers, connection: 'close' }).end(body);
}
