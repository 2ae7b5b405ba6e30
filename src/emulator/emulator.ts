import { andThen, type AtOnce } from './http/maybe-promise.ts';
import { BlobHttpError, blobErrorReply } from './signed/blob-http-error.ts';
import type { Blobs } from './store/blobs.ts';
import type { Sleep } from './http/delays.ts';
import type { LaunchWish } from './world/launch-request.ts';
import { answerControl, type Control, CONTROL_PREFIX } from './control/index.ts';
import { createService } from './create-state.ts';
import { StoreError } from './store/store-error.ts';
import { DEFAULT_WORLD } from './world/default-world.ts';
import { answerWith, Faults } from './http/faults.ts';
import { fetchHandler } from './http/fetch.ts';
import { jsonReply, Refusal, type PlainRequest, type Reply } from './http/messages.ts';
import { launch } from './world/launches.ts';
import type { Random } from './service/random.ts';
import { answer } from './service/routes.ts';
import { checkSeed, SeedError } from './world/seed-check.ts';
import { plant, type Seed } from './world/seed.ts';
import type { Service, Urls } from './state.ts';
import type { Store } from './store/store.ts';
import { storeLastCalls } from './service/tokens.ts';
import { Traffic } from './http/traffic.ts';

export interface EmulatorOptions {
  /** All state but the files' bytes; one that keeps nothing where it is left out. */
  readonly store?: Store;
  readonly blobs?: Blobs;
  /** The machine's clock, in ms since the epoch; the emulator's own is this one, moved. */
  readonly now?: () => number;
  /** Waits, for the LMS that is slow and the answer that is delayed. */
  readonly sleep?: Sleep;
  readonly random?: Random;
  /** The base addresses that launches carry. */
  readonly urls?: Urls;
  /** What opens the control side; it is closed where this is left out. */
  readonly controlToken?: string;
  /** The world of a store that is still empty, and the one that a reset goes back to. */
  readonly seed?: Seed;
  /** Told of defects: what is answered with 500. */
  readonly report?: (error: unknown) => void;
}

/** The whole service, without a port. */
export interface Emulator {
  readonly service: Service;
  /** Whether its world was planted now; else it was there, and the seed waits for a reset. */
  readonly isNew: boolean;
  /** The fast way in: a plain request, a plain answer. Durable when it resolves. */
  readonly handle: (request: PlainRequest) => AtOnce<Reply>;
  /** The standard way in; rejects like a broken connection where a fault drops it. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** The claims of a launch; undefined where the world has nobody or nothing of the kind. */
  readonly launch: (wish?: LaunchWish) => Record<string, unknown> | undefined;
  /** Keeps what is still in memory alone, and closes the store. */
  readonly close: () => void;
}

const SEED = 'seed';

/**
 * Makes the service on a store; the first time, with a world in it. Throws `SeedError` for a seed
 * that describes none.
 */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const service = createService(options);
  const seeds = service.store.settings<Seed>('seed');
  const isNew = service.world.tools.size === 0;
  if (options.seed !== undefined) seeds.set(SEED, checked(options.seed));
  const seed = (): Seed => seeds.get(SEED) ?? DEFAULT_WORLD;
  if (isNew) plant(service, seed());
  const [faults, traffic] = [new Faults(), new Traffic(service)];
  const control = { service, seed, faults, traffic, token: options.controlToken };
  const durably = (work: () => AtOnce<Reply>, origin: PlainRequest['origin']): AtOnce<Reply> =>
    whenDurable(service, work, origin, options.report);
  const handle = (request: PlainRequest): AtOnce<Reply> =>
    isControl(request)
      ? durably(() => answerControl(control, request), 'api')
      : answerOnWire(control, request, () =>
          durably(() => answer(service, request), request.origin),
        );
  const close = (): void => {
    service.delays.endAll();
    try {
      storeLastCalls(service);
    } catch {
      // As after a kill: the idle timers are up to a minute behind.
    } finally {
      service.store.close();
    }
  };
  return {
    service,
    isNew,
    handle,
    fetch: fetchHandler(handle, service.urls),
    launch: (wish = {}) => launchIfAny(service, wish),
    close,
  };
}

function isControl({ origin, target }: PlainRequest): boolean {
  return origin === 'api' && target.startsWith(CONTROL_PREFIX);
}

/** Answers a request of the service's own: what goes wrong with it and what it took are seen. */
function answerOnWire(
  { service, faults, traffic }: Pick<Control, 'service' | 'faults' | 'traffic'>,
  request: PlainRequest,
  answered: () => AtOnce<Reply>,
): AtOnce<Reply> {
  const started = performance.now();
  const mishap = faults.take(request);
  const reply =
    mishap === undefined ? answered() : answerWith(mishap, request, answered, service.delays);
  return andThen(reply, (sent) => {
    traffic.add(request, sent, performance.now() - started, mishap?.is ?? null);
    return sent;
  });
}

/**
 * Nothing is answered before it is durable, and even an answer to a read waits: it may show what
 * another request of this turn has written. What breaks is reported, and answered.
 */
function whenDurable(
  { store }: Service,
  work: () => AtOnce<Reply>,
  origin: PlainRequest['origin'],
  report: EmulatorOptions['report'],
): AtOnce<Reply> {
  const broken = (error: unknown): Reply => {
    if (!(error instanceof StoreError)) report?.(error);
    return failed(error, origin);
  };
  try {
    store.recover();
    const reply = andThen(work(), (sent) => store.settled()?.then(() => sent) ?? sent);
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

function launchIfAny(service: Service, wish: LaunchWish): Record<string, unknown> | undefined {
  try {
    return launch(service, wish).claims;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
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
