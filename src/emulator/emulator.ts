import type { MaybePromise } from './http/maybe-promise.ts';
import { BlobHttpError, blobErrorReply } from './signed/blob-http-error.ts';
import type { LaunchRequest } from './world/launch-request.ts';
import { ConsoleSessions } from './console/sessions.ts';
import type { Control } from './control/control.ts';
import { answerControl, CONTROL_PREFIX } from './control/index.ts';
import { createState, type StateOptions } from './create-state.ts';
import { StoreError } from './store/store-error.ts';
import { DEFAULT_WORLD } from './world/default-world.ts';
import { Events } from './http/events.ts';
import { Faults } from './http/faults.ts';
import { fetchHandler } from './http/fetch.ts';
import { bearerOf, jsonReply, HttpError, type PlainRequest, type Reply } from './http/messages.ts';
import { allowed, answerFrame, readerOrigin } from './hosted/cors.ts';
import { answerToolOrigin } from './hosted/tool-origin.ts';
import { launch } from './world/launches.ts';
import { answer } from './service/routes.ts';
import { checkSeed, SeedError } from './world/seed-check.ts';
import { applySeed, type Seed } from './world/seed.ts';
import type { EmulatorState } from './state.ts';
import { storeLastCalls } from './service/tokens.ts';
import { Traffic } from './http/traffic.ts';
import { ReportLog } from './report/report-log.ts';
import { answerService } from './answer-service.ts';
import { Chaos, type ChaosOptions } from './chaos/chaos.ts';

export interface EmulatorOptions extends StateOptions {
  /** Bearer token of the control API, which is closed without one. */
  readonly controlToken?: string;
  /** The initial world of an empty store, restored by a reset. */
  readonly seed?: Seed;
  /** Whether headers and bodies of requests are kept all along, and not only while somebody looks. */
  readonly capture?: boolean;
  /** Called for each defect of the emulator, which is answered with 500. */
  readonly report?: (error: unknown) => void;
  /** Trouble on purpose, the same for the same seed. */
  readonly chaos?: ChaosOptions;
}

/** The whole service, without a port. */
export interface Emulator {
  readonly state: EmulatorState;
  /** Whether the seed was applied now; otherwise a world was there, and the seed applies at a reset. */
  readonly isNew: boolean;
  /** Answers a plain request, faster than `fetch`. Its effect is durable when it resolves. */
  readonly handle: (request: PlainRequest) => MaybePromise<Reply>;
  /** An answer that was given before a request was handled, so that a frame can read it. */
  readonly readable: (
    request: Pick<PlainRequest, 'headers' | 'origin' | 'target'>,
    reply: Reply,
  ) => Reply;
  /** Answers a request to the origin of a hosted tool's frames. */
  readonly handleTool: (tool: string, request: PlainRequest) => MaybePromise<Reply>;
  /** Answers a `Request`; rejects like a broken connection if an injected fault closes it. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Whether this emulator issued the credential of a request, ended ones included. */
  readonly knowsCaller: (request: Pick<PlainRequest, 'headers'>) => boolean;
  /** The claims of a launch; undefined if the world has no such member, location or tool. */
  readonly launch: (request?: LaunchRequest) => Record<string, unknown> | undefined;
  /** Stores what is only in memory, and closes the store. */
  readonly close: () => void;
}

const SEED = 'seed';

/**
 * Creates the service without a port. An empty store gets the world of the seed.
 *
 * @throws {SeedError} the seed is invalid
 * @throws {StoreError} the store cannot be read
 * @example
 * const emulator = createEmulator();
 * const claims = emulator.launch({ role: 'student' });
 * const response = await emulator.fetch(new Request(readLaunch(claims).storage.member));
 */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const state = createState(options);
  const seeds = state.store.settings<Seed>('seed');
  const isNew = state.world.tools.size === 0;
  if (options.seed !== undefined) seeds.set(SEED, checked(options.seed));
  const seed = (): Seed => seeds.get(SEED) ?? DEFAULT_WORLD;
  if (isNew) applySeed(state, seed());
  const log = new ReportLog(state, options.chaos);
  const [faults, traffic] = [new Faults(), new Traffic(log.last)];
  if (options.capture) traffic.captures.watch();
  const control: Control = {
    state,
    seed,
    faults,
    traffic,
    log,
    chaos: options.chaos && new Chaos(options.chaos),
    token: options.controlToken,
    sessions: new ConsoleSessions(state.secret, options.now ?? Date.now),
    events: new Events(traffic),
    send: (request) => onWire(request),
  };
  const service = { ...control, report: options.report };
  const durably = (
    work: () => MaybePromise<Reply>,
    origin: PlainRequest['origin'],
  ): MaybePromise<Reply> => answerDurably(state, work, origin, options.report);
  const onWire = (request: PlainRequest): MaybePromise<Reply> =>
    answerService(service, request, (finish) =>
      answerDurably(state, () => answer(state, request), request.origin, options.report, finish),
    );
  const handle = (request: PlainRequest): MaybePromise<Reply> => {
    if (isControl(request)) return durably(() => answerControl(control, request), 'api');
    const reader = readerOrigin(state, request);
    return reader === undefined ? onWire(request) : answerFrame(state, request, reader, onWire);
  };
  const readable: Emulator['readable'] = (request, reply) => {
    const reader = readerOrigin(state, request);
    return reader === undefined ? reply : allowed(reply, reader);
  };
  const handleTool = (tool: string, request: PlainRequest): MaybePromise<Reply> =>
    durably(() => answerToolOrigin(state, tool, request), 'api');
  const close = (): void => {
    state.delays.endAll();
    try {
      storeLastCalls(state);
      log.close();
    } catch {
      // As after a kill: the idle timers are up to a minute behind, and the report is a bit.
    } finally {
      state.blobs.close();
      state.store.close();
    }
  };
  return {
    state,
    isNew,
    handle,
    knowsCaller: (request) => isCallerKnown(control, request),
    handleTool,
    readable,
    fetch: fetchHandler(handle, state.urls),
    launch: (request = {}) => launchIfAny(state, request),
    close,
  };
}

function isControl({ origin, target }: PlainRequest): boolean {
  return origin === 'api' && target.startsWith(CONTROL_PREFIX);
}

function isCallerKnown(
  { state, token, sessions }: Pick<Control, 'state' | 'token' | 'sessions'>,
  request: Pick<PlainRequest, 'headers'>,
): boolean {
  const bearer = bearerOf(request);
  if (bearer === undefined) return false;
  const { tokens, world } = state;
  return (
    bearer === token ||
    tokens.has(bearer) ||
    sessions.has(bearer) ||
    world.toolOfKey(bearer) !== undefined
  );
}

/** An incomplete body is the caller's doing, not a defect of the emulator. */
function isCallerGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/**
 * Answers only when all writes are durable. Even a read waits: it may show what another request of
 * this turn of the event loop has written. Errors are reported, and answered. `finish` gets each answer
 * last, here and not by the caller, since that would cost each write another promise.
 */
function answerDurably(
  { store }: EmulatorState,
  work: () => MaybePromise<Reply>,
  origin: PlainRequest['origin'],
  report: EmulatorOptions['report'],
  finish: (sent: Reply) => Reply = (sent) => sent,
): MaybePromise<Reply> {
  const broken = (error: unknown): Reply => {
    if (!(error instanceof StoreError || isCallerGone(error))) report?.(error);
    return failureReply(error, origin);
  };
  let reply: MaybePromise<Reply>;
  try {
    store.recover();
    reply = work();
  } catch (error) {
    return finish(broken(error));
  }
  if (reply instanceof Promise) {
    const settle = (sent: Reply): MaybePromise<Reply> =>
      store.whenDurable()?.then(() => sent) ?? sent;
    return reply.then(settle).catch(broken).then(finish);
  }
  const sent = reply;
  return (
    store.whenDurable()?.then(
      () => finish(sent),
      (error) => finish(broken(error)),
    ) ?? finish(sent)
  );
}

function checked(seed: Seed): Seed {
  const faults = checkSeed(seed);
  if (faults.length > 0) throw new SeedError(faults);
  return seed;
}

function launchIfAny(
  state: EmulatorState,
  request: LaunchRequest,
): Record<string, unknown> | undefined {
  try {
    return launch(state, request).claims;
  } catch (error) {
    if (error instanceof HttpError) return undefined;
    throw error;
  }
}

function failureReply(error: unknown, origin: PlainRequest['origin']): Reply {
  const isStore = error instanceof StoreError;
  const message = isStore ? `${error.message}; nothing took effect` : 'a defect of the emulator';
  const status = isStore ? 503 : 500;
  if (origin === 'blobs') {
    const code = isStore ? 'ServiceUnavailable' : 'InternalError';
    return blobErrorReply(new BlobHttpError(status, code, message));
  }
  return jsonReply(status, { error: { code: isStore ? 'store_failed' : 'internal', message } });
}
