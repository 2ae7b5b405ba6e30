import type { Clock } from './service/clock.ts';
import type { Delays } from './http/delays.ts';
import type { StoredFile, Upload } from './service/files.ts';
import type { HeldBlobs } from './store/deferred-delete-blobs.ts';
import type { Instants } from './service/monotonic-timestamps.ts';
import type { LmsBehaviour } from './service/lms.ts';
import type { Collection } from './store/collection.ts';
import type { Store } from './store/store.ts';
import type { Token } from './service/tokens.ts';
import type { World } from './world/world.ts';

/** What the handlers of requests work with: all state and everything that comes from outside. */
export interface Service {
  readonly store: Store;
  readonly blobs: HeldBlobs;
  readonly clock: Clock;
  readonly world: World;
  readonly tokens: Collection<Token>;
  /** Finish calls that came, by row key ("States: storage row provisioning"). */
  readonly provisioned: Collection<{ at: number }>;
  readonly files: Collection<StoredFile>;
  readonly uploads: Collection<Upload>;
  /** How the LMS behaves, by location or everywhere. */
  readonly lms: Collection<Partial<LmsBehaviour>>;
  readonly instants: Instants;
  readonly urls: Urls;
  /** An ID that was not there before. */
  readonly newId: () => string;
  /** A text that nobody can guess. */
  readonly secret: () => string;
  /** Signs with a key that the store keeps. */
  readonly sign: (text: string) => string;
  readonly delays: Delays;
}

/** The base addresses of the two origins, without a slash at the end. */
export interface Urls {
  readonly api: string;
  readonly blobs: string;
}
