import { setTimeout } from 'node:timers/promises';
import { MemoryBlobs } from './store/blobs.ts';
import { Clock } from './service/clock.ts';
import { Delays } from './http/delays.ts';
import type { EmulatorOptions } from './emulator.ts';
import { HeldBlobs } from './store/deferred-delete-blobs.ts';
import { Instants } from './service/monotonic-timestamps.ts';
import { machineRandom, makeId, makeSecret, sign, type Random } from './service/random.ts';
import type { Service, Urls } from './state.ts';
import { Store } from './store/store.ts';
import { World } from './world/world.ts';

const NO_PORT: Urls = { api: 'http://service.test', blobs: 'http://blobs.test' };

/** All state, and everything that comes from outside. */
export function createService(options: EmulatorOptions): Service {
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
    delays: new Delays(options.sleep ?? sleep),
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

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal });
}
