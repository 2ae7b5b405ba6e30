import { andThen, type AtOnce } from './at-once.ts';
import { type Blobs, MemoryBlobs } from './blobs.ts';
import { Clock } from './clock.ts';
import { answerControl, CONTROL_PREFIX } from './control/index.ts';
import { StoreError } from './database.ts';
import { DEFAULT_WORLD } from './default-world.ts';
import { answerWith, Faults } from './faults.ts';
import { fetchHandler } from './fetch.ts';
import { HeldBlobs } from './held-blobs.ts';
import { jsonReply, Refusal, type PlainRequest, type Reply } from './http.ts';
import { Instants } from './instants.ts';
import { launch, type LaunchWish } from './launches.ts';
import { machineRandom, makeId, makeSecret, sign, type Random } from './random.ts';
import { answer } from './routes.ts';
import { Traffic } from './traffic.ts';
import { checkSeed, SeedError } from './seed-check.ts';
import { plant, type Seed } from './seed.ts';
import type { Service, Urls } from './service.ts';
import { Store } from './store.ts';
import { storeLastCalls } from './tokens.ts';
import { World } from './world.ts';

export interface EmulatorOptions {
  /** All state but the files' bytes; one that keeps nothing where it is left out. */
  readonly store?: Store;
  readonly blobs?: Blobs;
  /** The machine's clock, in ms since the epoch; the emulator's own is this one, moved. */
  readonly now?: () => number;
  /** Waits, for the LMS that is slow and the answer that is delayed. */
  readonly sleep?: (ms: number) => Promise<void>;
  readonly random?: Random;
  /** The base addresses that launches carry. */
  readonly urls?: Urls;
  /** What opens the control side; it is closed where this is left out. */
  readonly controlToken?: string;
  /** The world of a store that is still empty, and the one that a reset goes back to. */
  readonly seed?: Seed;
  /** Told of errors that are no refusals, which are answered with 500. */
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

const NO_PORT: Urls = { api: 'http://service.test', blobs: 'http://blobs.test' };

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
  /** Nothing is answered before it is durable. */
  const durably = (work: () => AtOnce<Reply>): AtOnce<Reply> => {
    const broken = (error: unknown): Reply => {
      options.report?.(error);
      return failed(error);
    };
    // Even an answer to a read waits: it may show what another request of this turn has written.
    const settled = (reply: Reply): AtOnce<Reply> =>
      service.store.settled()?.then(() => reply) ?? reply;
    try {
      const reply = andThen(work(), settled);
      return reply instanceof Promise ? reply.catch(broken) : reply;
    } catch (error) {
      return broken(error);
    }
  };
  const handle = (request: PlainRequest): AtOnce<Reply> => {
    if (request.origin === 'api' && request.target.startsWith(CONTROL_PREFIX)) {
      return durably(() => answerControl(control, request));
    }
    const started = performance.now();
    const mishap = faults.take(request);
    const answered = (): AtOnce<Reply> => durably(() => answer(service, request));
    const reply =
      mishap === undefined ? answered() : answerWith(mishap, request, answered, service.sleep);
    return andThen(reply, (sent) => {
      traffic.add(request, sent, performance.now() - started, mishap?.is ?? null);
      return sent;
    });
  };
  const close = (): void => {
    storeLastCalls(service);
    service.store.close();
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

function failed(error: unknown): Reply {
  if (error instanceof StoreError) {
    const message = `${error.message}; nothing took effect`;
    return jsonReply(503, { error: { code: 'store_failed', message } });
  }
  return jsonReply(500, { error: { code: 'internal', message: 'a defect of the emulator' } });
}

function createService(options: EmulatorOptions): Service {
  const store = options.store ?? new Store(':memory:');
  const random = options.random ?? machineRandom();
  const clock = new Clock(options.now ?? Date.now, store.collection('clock'));
  return {
    store,
    blobs: new HeldBlobs(options.blobs ?? new MemoryBlobs()),
    clock,
    world: new World(store),
    tokens: store.collection('tokens'),
    provisioned: store.collection('provisioned'),
    files: store.collection('files'),
    uploads: store.collection('uploads'),
    lms: store.collection('lms'),
    instants: new Instants(clock, store),
    urls: options.urls ?? NO_PORT,
    newId: () => makeId(random),
    secret: () => makeSecret(random),
    sign: signerOf(store, random),
    sleep: options.sleep ?? wait,
  };
}

const SIGNING_KEY = 'signing';

/** Signs by the key of the store, made once; an import brings its own. */
function signerOf(store: Store, random: Random): (text: string) => string {
  const keys = store.settings<{ secret: string }>('keys');
  return (text) => {
    const known = keys.get(SIGNING_KEY) ?? { secret: makeSecret(random) };
    if (!keys.has(SIGNING_KEY)) keys.set(SIGNING_KEY, known);
    return sign(known.secret, text);
  };
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
