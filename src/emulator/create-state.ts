import { type Blobs, MemoryBlobs } from './store/blobs.ts';
import { Clock } from './service/clock.ts';
import { Delays, machineSleep, type Sleep } from './http/delays.ts';
import { DeferredDeleteBlobs } from './store/deferred-delete-blobs.ts';
import { createHostedState } from './hosted/hosted-state.ts';
import { MonotonicTimestamps } from './service/monotonic-timestamps.ts';
import { machineRandom, makeId, makeSecret, sign, type Random } from './service/random.ts';
import type { EmulatorState, Urls } from './state.ts';
import { RowVersions } from './store/row-versions.ts';
import { Store } from './store/store.ts';
import { World } from './world/world.ts';

const NO_PORT: Urls = { api: 'http://service.test', blobs: 'http://blobs.test' };

/** Parts of the state; what is left out is created, in memory. */
export interface StateOptions {
  /** All state except the files' bytes; defaults to one in memory. */
  readonly store?: Store;
  readonly blobs?: Blobs;
  /** The machine's clock, in ms since the epoch; the emulator's clock adds an offset. */
  readonly now?: () => number;
  /** Waits for a slow LMS and for delayed responses. */
  readonly sleep?: Sleep;
  readonly random?: Random;
  /** The base URLs of launches. */
  readonly urls?: Urls;
}

/** Creates the state, with everything that comes from outside. */
export function createState(options: StateOptions): EmulatorState {
  const store = options.store ?? new Store(':memory:');
  const random = options.random ?? machineRandom();
  const clock = new Clock(options.now ?? Date.now, store.collection('clock'));
  const keys = store.settings<{ secret: string }>('keys');
  const blobs = new DeferredDeleteBlobs(options.blobs ?? new MemoryBlobs());
  return {
    store,
    blobs,
    clock,
    world: new World(store),
    tokens: store.collection('tokens'),
    provisioned: store.collection('provisioned'),
    files: store.collection('files'),
    uploads: store.collection('uploads'),
    provisionCalls: store.collection('provision_calls'),
    locationsAnswers: store.collection('locations_answers'),
    lms: store.collection('lms'),
    hosted: createHostedState(store, blobs),
    timestamps: new MonotonicTimestamps(clock, store),
    urls: options.urls ?? NO_PORT,
    newId: () => makeId(random),
    secret: () => makeSecret(random),
    sign: signerOf(keys, random),
    keys,
    delays: new Delays(options.sleep ?? machineSleep),
    rowVersions: new RowVersions({ at: clock.now(), by: 'start' }),
  };
}

const SIGNING_KEY = 'signing';

/** Signs with the key in the store, made once; an import replaces it. */
function signerOf(keys: EmulatorState['keys'], random: Random): (text: string) => string {
  return (text) => {
    const known = keys.get(SIGNING_KEY) ?? { secret: makeSecret(random) };
    if (!keys.has(SIGNING_KEY)) keys.set(SIGNING_KEY, known);
    return sign(known.secret, text);
  };
}
