import { chain, type MaybePromise } from './http/maybe-promise.ts';
import { BlobHttpError, blobErrorReply } from './signed/blob-http-error.ts';
import type { LaunchRequest } from './world/launch-request.ts';
import { answerControl, type Control, CONTROL_PREFIX } from './control/index.ts';
import { createState, type StateOptions } from './create-state.ts';
import { StoreError } from './store/store-error.ts';
import { DEFAULT_WORLD } from './world/default-world.ts';
import { answerWith, Faults } from './http/faults.ts';
import { fetchHandler } from './http/fetch.ts';
import { bearerOf, jsonReply, HttpError, type PlainRequest, type Reply } from './http/messages.ts';
import { answerFrame } from './hosted/cors.ts';
import { answerToolOrigin } from './hosted/tool-origin.ts';
import { launch } from './world/launches.ts';
import { answer } from './service/routes.ts';
import { checkSeed, SeedError } from './world/seed-check.ts';
import { applySeed, type Seed } from './world/seed.ts';
import type { EmulatorState } from './state.ts';
import { storeLastCalls } from './service/tokens.ts';
import { Traffic } from './http/traffic.ts';

export interface EmulatorOptions extends StateOptions {
  /** What opens the control side; it is closed where this is left out. */
  readonly controlToken?: string;
  /** The world of a store that is still empty, and the one that a reset goes back to. */
  readonly seed?: Seed;
  /** Told of defects: what is answered with 500. */
  readonly report?: (error: unknown) => void;
}

/** The whole service, without a port. */
export interface Emulator {
  readonly state: EmulatorState;
  /** Whether its world was planted now; else it was there, and the seed waits for a reset. */
  readonly isNew: boolean;
  /** The fast way in: a plain request, a plain answer. Durable when it resolves. */
  readonly handle: (request: PlainRequest) => MaybePromise<Reply>;
  /** Answers a request to the origin of a hosted tool's frames. */
  readonly handleTool: (tool: string, request: PlainRequest) => MaybePromise<Reply>;
  /** The standard way in; rejects like a broken connection where a fault drops it. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Whether the credential of a request is one that this emulator has made, ended ones among them. */
  readonly knowsCaller: (request: Pick<PlainRequest, 'headers'>) => boolean;
  /** The claims of a launch; undefined where the world has nobody or nothing of the kind. */
  readonly launch: (wish?: LaunchRequest) => Record<string, unknown> | undefined;
  /** Keeps what is still in memory alone, and closes the store. */
  readonly close: () => void;
}

const SEED = 'seed';

/**
 * Makes the service on a store; the first time, with a world in it. Throws `SeedError` for a seed
 * that describes none.
 */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const state = createState(options);
  const seeds = state.store.settings<Seed>('seed');
  const isNew = state.world.tools.size === 0;
  if (options.seed !== undefined) seeds.set(SEED, checked(options.seed));
  const seed = (): Seed => seeds.get(SEED) ?? DEFAULT_WORLD;
  if (isNew) applySeed(state, seed());
  const [faults, traffic] = [new Faults(), new Traffic(state)];
  const control = { state, seed, faults, traffic, token: options.controlToken };
  const durably = (
    work: () => MaybePromise<Reply>,
    origin: PlainRequest['origin'],
  ): MaybePromise<Reply> => whenDurable(state, work, origin, options.report);
  const onWire = (request: PlainRequest): MaybePromise<Reply> =>
    answerOnWire(control, request, () => durably(() => answer(state, request), request.origin));
  const handle = (request: PlainRequest): MaybePromise<Reply> => {
    if (isControl(request)) return durably(() => answerControl(control, request), 'api');
    const { origin } = request.headers;
    return typeof origin === 'string' && state.hosted.origins.has(origin)
      ? answerFrame(state, request, origin, onWire)
      : onWire(request);
  };
  const handleTool = (tool: string, request: PlainRequest): MaybePromise<Reply> =>
    durably(() => answerToolOrigin(state, tool, request), 'api');
  const close = (): void => {
    state.delays.endAll();
    try {
      storeLastCalls(state);
    } catch {
      // As after a kill: the idle timers are up to a minute behind.
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
    fetch: fetchHandler(handle, state.urls),
    launch: (wish = {}) => launchIfAny(state, wish),
    close,
  };
}

function isControl({ origin, target }: PlainRequest): boolean {
  return origin === 'api' && target.startsWith(CONTROL_PREFIX);
}

function isCallerKnown(
  { state, token }: Pick<Control, 'state' | 'token'>,
  request: Pick<PlainRequest, 'headers'>,
): boolean {
  const bearer = bearerOf(request);
  if (bearer === undefined) return false;
  const { tokens, world } = state;
  return bearer === token || tokens.has(bearer) || world.toolOfKey(bearer) !== undefined;
}

/** Answers a request of the service's own: what goes wrong with it and what it took are seen. */
function answerOnWire(
  { state, faults, traffic }: Pick<Control, 'state' | 'faults' | 'traffic'>,
  request: PlainRequest,
  answered: () => MaybePromise<Reply>,
): MaybePromise<Reply> {
  const started = performance.now();
  const mishap = faults.take(request);
  const reply =
    mishap === undefined ? answered() : answerWith(mishap, request, answered, state.delays);
  return chain(reply, (sent) => {
    traffic.add(request, sent, performance.now() - started, mishap?.is ?? null);
    return sent;
  });
}

/** A body that broke off is the caller's doing, and no defect of the emulator's. */
function isCallerGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/**
 * Nothing is answered before it is durable, and even an answer to a read waits: it may show what
 * another request of this turn has written. What breaks is reported, and answered.
 */
function whenDurable(
  { store }: EmulatorState,
  work: () => MaybePromise<Reply>,
  origin: PlainRequest['origin'],
  report: EmulatorOptions['report'],
): MaybePromise<Reply> {
  const broken = (error: unknown): Reply => {
    if (!(error instanceof StoreError || isCallerGone(error))) report?.(error);
    return failed(error, origin);
  };
  try {
    store.recover();
    const reply = chain(work(), (sent) => store.settled()?.then(() => sent) ?? sent);
    return reply instanceof Promise ? reply.catch(broken) : reply;
  } catch (error) {
    return broken(error);
  }
}

function checked(seed: Seed): Seed {
  const faults = checkSeed(seed);
  if (faults.length > 0) throw new SeedError(faults);
  return seed;
}

function launchIfAny(
  state: EmulatorState,
  wish: LaunchRequest,
): Record<string, unknown> | undefined {
  try {
    return launch(state, wish).claims;
  } catch (error) {
    if (error instanceof HttpError) return undefined;
    throw error;
  }
}

function failed(error: unknown, origin: PlainRequest['origin']): Reply {
  const isStore = error instanceof StoreError;
  const message = isStore ? `${error.message}; nothing took effect` : 'a defect of the emulator';
  const status = isStore ? 503 : 500;
  if (origin === 'blobs') {
    const code = isStore ? 'ServiceUnavailable' : 'InternalError';
    return blobErrorReply(new BlobHttpError(status, code, message));
  }
  return jsonReply(status, { error: { code: isStore ? 'store_failed' : 'internal', message } });
}
