import type { ListedColumns } from '../output/resource.ts';
import { SAVED_KEYS, SAVED_LEDGERS } from '../output/saved.ts';
import { SAVED_LAUNCHES, launchText, type LaunchSummary } from '../output/launch.ts';
import type { ItemOf } from '../output/resource.ts';
import type { Runtime } from '../runtime.ts';
import { launchSummary } from './launch-summary.ts';
import type { NamedStore, SavedKey, SavedLaunch, SavedLedger, SettingValues } from '../stores.ts';

/** What is saved by name, chosen with `use`, and shown without its secret. */
export interface SavedKind<Entry, Listed, Item> {
  readonly what: 'key' | 'launch' | 'ledger';
  readonly store: (runtime: Runtime) => Promise<NamedStore<Entry, Listed>>;
  /** The setting that names the one in use. */
  readonly setting: keyof Omit<SettingValues, 'history'>;
  /** What is secret of an entry, for notes. */
  readonly secret: 'key' | 'password' | 'token';
  readonly columns: ListedColumns;
  /** What lists and JSON have of an entry. */
  readonly item: (runtime: Runtime, entry: Listed, current: boolean) => Promise<Item>;
  /** An item in a few words. */
  readonly words: (item: Item) => string;
  /** What is in use where none is chosen. */
  readonly otherwise: string;
  /** The name of that one, if it has one. */
  readonly none?: string;
  /** The first one that is saved is in use at once. */
  readonly isUsedAtOnce?: true;
  /** Forgets what else is known of a name. */
  readonly forget?: (runtime: Runtime, name: string) => Promise<void>;
}

const launch: SavedKind<SavedLaunch, SavedLaunch, LaunchSummary> = {
  what: 'launch',
  store: (runtime) => runtime.launches(),
  setting: 'currentLaunch',
  secret: 'token',
  columns: SAVED_LAUNCHES,
  item: launchSummary,
  words: launchText,
  otherwise: 'no launch is in use now',
  isUsedAtOnce: true,
  forget: async (runtime, name) => (await runtime.tokenStatus()).forget(name),
};

const key: SavedKind<SavedKey, Omit<SavedKey, 'secret'>, ItemOf<typeof SAVED_KEYS>> = {
  what: 'key',
  store: (runtime) => runtime.keys(),
  setting: 'currentKey',
  secret: 'key',
  columns: SAVED_KEYS,
  item: async (_, { name, origin, saved }, current) => ({ name, current, origin, saved }),
  words: ({ origin }) => `it is sent only to ${origin}`,
  otherwise: 'no key is in use now',
};

const ledger: SavedKind<
  SavedLedger,
  Omit<SavedLedger, 'password'>,
  ItemOf<typeof SAVED_LEDGERS>
> = {
  what: 'ledger',
  store: (runtime) => runtime.ledgers(),
  setting: 'currentLedger',
  secret: 'password',
  columns: SAVED_LEDGERS,
  item: async (_, { name, url, saved }, current) => ({ name, current, url, saved }),
  words: ({ url }) => url,
  otherwise: 'the ledger of this machine is in use now',
  none: 'local',
};

export const SAVED_KINDS = { launch, key, ledger };
