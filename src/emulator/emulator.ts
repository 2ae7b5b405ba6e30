import {
  answerRequest,
  answerService,
  answerTool,
  type App,
  type ObservedExchange,
  recordObserved,
} from './app.ts';
import { ConsoleSessions } from './control/access.ts';
import { Events } from './control/events.ts';
import { CONTROL_PREFIX } from '../control-request.ts';
import type { Observed } from './control/operation.ts';
import { isStreamed } from './control/index.ts';
import { defineListFunctions } from './control/query.ts';
import { fetchHandler } from './http/fetch.ts';
import type { Handler } from './http/listener.ts';
import {
  errorReply,
  HttpError,
  type PlainRequest,
  type Reply,
  type RequestHead,
} from './http/messages.ts';
import { Exchanges } from './review/exchanges.ts';
import { ErrorCount } from './review/review.ts';
import { Traffic } from './review/traffic.ts';
import { writtenError } from './service/reply.ts';
import { allowed, readerOrigin } from './service/hosted/cors.ts';
import type { LaunchRequest } from './service/launches/launches.ts';
import { launch } from './service/launches/launches.ts';
import { DEFAULT_WORLD } from './state/seed/worlds.ts';
import { checkSeed, SeedError } from './state/seed/seed-check.ts';
import { applySeed, type Seed } from './state/seed/seed.ts';
import { createState, type EmulatorState, type StateOptions } from './state/state.ts';
import { Chaos, type ChaosOptions } from './trouble/chaos.ts';
import { Faults } from './trouble/faults.ts';

export interface EmulatorOptions extends StateOptions {
  /** The requests and the responses; defaults to a temporary database. */
  readonly exchanges?: Exchanges;
  /** Bearer token of the control API, which is closed without one. */
  readonly controlToken?: string;
  /** Whether `GET ready` answers 200; false until the server has prepared everything. */
  readonly isReady?: () => boolean;
  /** Called to stop the emulator, by `POST stop`, which is refused without it. */
  readonly onStop?: () => void;
  /** Called after a reset, which is answered then. */
  readonly onReset?: () => Promise<void>;
  /** The initial world of an empty store, restored by a reset. */
  readonly seed?: Seed | undefined;
  /** Called for each defect of the emulator, which is answered with 500. */
  readonly report?: (error: unknown) => void;
  /** Injected faults, the same for the same seed. */
  readonly chaos?: ChaosOptions | undefined;
  /** Another service, whose traffic and report it shows in place of its own. */
  readonly observed?: Observed;
  /** The command that starts it, for the console to show while it is down. */
  readonly startedWith?: string;
}

/** The whole service, without a port. `handle` is faster than `fetch`. */
export interface Emulator extends Handler {
  readonly state: EmulatorState;
  /** Whether the seed was applied now; otherwise a world was there, and the seed applies at a reset. */
  readonly isNew: boolean;
  /** Answers a request to the origin of a hosted tool's frames. */
  readonly handleTool: (tool: string, request: PlainRequest) => Promise<Reply>;
  /** Answers a `Request`; rejects like a broken connection if an injected fault closes it. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** The claims of a launch; undefined if the world has no such member, location or tool. */
  readonly launch: (request?: LaunchRequest) => Record<string, unknown> | undefined;
  /** The hosted tools: those of the seed in its order, then others. */
  readonly hostedTools: () => string[];
  /** Records an exchange with the observed service; returns its number in the traffic. */
  readonly observe: (exchange: ObservedExchange) => number;
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
  const { settings } = state;
  defineListFunctions(state.store);
  const isNew = state.world.tools.count() === 0;
  if (options.seed !== undefined) settings.put({ name: SEED, value: validSeed(options.seed) });
  const seed = (): Seed => (settings.get(SEED)?.value as Seed | undefined) ?? DEFAULT_WORLD;
  if (isNew) applySeed(state, seed());
  const exchanges = options.exchanges ?? new Exchanges();
  const traffic = new Traffic(state, exchanges);
  const events = new Events(traffic);
  const app: App = {
    state,
    seed,
    faults: new Faults(),
    traffic,
    exchanges,
    chaos: options.chaos && new Chaos(options.chaos),
    observed: options.observed,
    token: options.controlToken,
    startedWith: options.startedWith,
    isReady: options.isReady ?? (() => true),
    stop: options.onStop,
    onReset: options.onReset,
    sessions: new ConsoleSessions(state.secret, options.now ?? Date.now),
    events,
    errors: new ErrorCount(exchanges, state, () => events.changed()),
    openapi: async (part) => {
      const { openapi } = await import('./openapi/index.ts');
      return openapi(part, state);
    },
    replay: async (request) => (await answerService(app, request, { isReplay: true })).number,
    report: options.report,
  };
  const handle = (request: PlainRequest): Promise<Reply> => answerRequest(app, request);
  return {
    state,
    isNew,
    handle,
    handleTool: (tool, request) => answerTool(app, tool, request),
    takesStream,
    refused: (request, error) => {
      const isOwn = request.target.startsWith(CONTROL_PREFIX);
      const reply = isOwn ? errorReply(error) : writtenError(state, error);
      const reader = readerOrigin(state, request);
      return reader === undefined ? reply : allowed(reply, reader);
    },
    fetch: fetchHandler({ handle, takesStream }, state.urls.blobs),
    launch: (request = {}) => launchIfAny(state, request),
    hostedTools: () => hostedTools(app),
    observe: (exchange) => recordObserved(app, exchange),
    close: () => closeAll(app),
  };
}

function closeAll({ state, exchanges }: App): void {
  state.delays.endAll();
  try {
    state.tokens.storeCalls();
    state.blobs.sweep();
  } catch {
    // The loss is that of a kill: up to a minute of idle time.
  } finally {
    exchanges.close();
    state.store.close();
  }
}

function hostedTools({ state, seed }: App): string[] {
  const ids = state.world.tools.all('hosted').map(({ id }) => id);
  const first = seed().tools.flatMap(({ id }) => (ids.includes(id) ? [id] : []));
  return [...new Set([...first, ...ids])];
}

function takesStream({ origin, target }: Pick<RequestHead, 'origin' | 'target'>): boolean {
  return origin === 'blobs' || isStreamed(target);
}

/** The seed itself. Throws `SeedError`. */
export function validSeed(seed: Seed): Seed {
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
