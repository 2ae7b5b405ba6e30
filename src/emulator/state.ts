import type { HostedState } from './hosted/hosted-state.ts';
import type { Clock } from './service/clock.ts';
import type { Delays } from './http/delays.ts';
import type { DeferredDeleteBlobs } from './store/deferred-delete-blobs.ts';
import type { MonotonicTimestamps } from './service/monotonic-timestamps.ts';
import type { Collection } from './store/collection.ts';
import type { RowVersions } from './store/row-versions.ts';
import type { Store } from './store/store.ts';
import type { World } from './world/world.ts';
import type {
  LmsBehaviour,
  LocationsAnswer,
  ProvisionCall,
  StoredFile,
  Token,
  Upload,
} from './store/records.ts';

/** All state of the emulator, and everything that comes from outside. */
export interface EmulatorState {
  readonly store: Store;
  readonly blobs: DeferredDeleteBlobs;
  readonly clock: Clock;
  readonly world: World;
  readonly tokens: Collection<Token>;
  /** Finish calls that came, by row key ("States: storage row provisioning"). */
  readonly provisioned: Collection<{ at: number }>;
  readonly files: Collection<StoredFile>;
  readonly uploads: Collection<Upload>;
  /** Requests to tools' servers. */
  readonly provisionCalls: Collection<ProvisionCall>;
  readonly locationsAnswers: Collection<LocationsAnswer>;
  /** How the LMS behaves, by location or everywhere. */
  readonly lms: Collection<Partial<LmsBehaviour>>;
  /** The code of hosted tools, and the frames that they run in. */
  readonly hosted: HostedState;
  readonly timestamps: MonotonicTimestamps;
  readonly urls: Urls;
  /** A new unique ID. */
  readonly newId: () => string;
  /** A text that cannot be guessed. */
  readonly secret: () => string;
  /** Signs with a key that the store keeps. */
  readonly sign: (text: string) => string;
  /** Secrets, which are part of an export. */
  readonly keys: Collection<{ secret: string }>;
  readonly delays: Delays;
  /** For people who look; no part of the service. */
  readonly rowVersions: RowVersions;
}

/** The base URLs of the two origins, without a trailing slash. */
export interface Urls {
  readonly api: string;
  readonly blobs: string;
}
