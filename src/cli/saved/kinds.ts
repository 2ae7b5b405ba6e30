import { SAVED_KEYS, SAVED_LEDGERS } from '../output/saved.ts';
import {
  launchText,
  type LaunchState,
  type LaunchSummary,
  SAVED_LAUNCHES,
} from '../output/launch.ts';
import {
  isProvisionRequest,
  isStaff,
  LAUNCH_TOKEN_IDLE_MS,
  PROVISION_TOKEN_MS,
  readLaunch,
} from '../../contract/index.ts';
import type { LaunchKind } from '../../validator/launch.ts';
import type { ListColumns, ItemOf } from '../output/columns.ts';
import type { Runtime } from '../runtime.ts';
import type {
  NamedStore,
  SavedKey,
  SavedLaunch,
  SavedLedger,
  SettingValues,
  TokenStatus,
} from '../stores.ts';

/** What is saved by name, chosen with `use`, and shown without its secret. */
export interface SavedKind<Entry, Listed, Item> {
  readonly what: 'key' | 'launch' | 'ledger';
  readonly store: (runtime: Runtime) => Promise<NamedStore<Entry, Listed>>;
  /** The setting that names the one in use. */
  readonly setting: keyof Omit<SettingValues, 'history'>;
  /** What is secret of an entry, for notes. */
  readonly secret: 'key' | 'password' | 'token';
  readonly columns: ListColumns;
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

/** What the claims of a launch say of it. */
export function launchFacts({ claims, origin }: Pick<SavedLaunch, 'claims' | 'origin'>) {
  const launch = readLaunch(claims);
  const kind: LaunchKind = isProvisionRequest(launch) ? 'provision_request' : 'launch';
  const groups = launch.groups ?? null;
  const fullName = (isStaff(launch) ? launch.fullName : undefined) ?? null;
  const role = groups?.join(', ') ?? (kind === 'launch' ? 'role unknown' : '');
  return {
    kind,
    user: fullName === null ? role : `${fullName} (${role})`,
    groups,
    full_name: fullName,
    member: launch.member ?? null,
    course: launch.course ?? launch.context ?? null,
    location: launch.location ?? null,
    origin: origin ?? null,
  };
}

/** What is shown of a saved launch. */
export async function launchSummary(
  runtime: Runtime,
  saved: SavedLaunch,
  current: boolean,
): Promise<LaunchSummary> {
  const seen = await (await runtime.tokenStatus()).of(saved);
  const facts = launchFacts(saved);
  return {
    name: saved.name,
    current,
    ...facts,
    saved: saved.saved,
    last_success: seen.success ?? null,
    state: stateOf(facts.kind, saved.saved, seen, runtime.now()),
    ended: seen.ended ?? null,
  };
}

/** "States: launch token": 12 hours without a call; the token of a provision request lives 3. */
function stateOf(kind: LaunchKind, saved: string, seen: TokenStatus, now: number): LaunchState {
  if (seen.ended !== undefined) return 'ended';
  const idleSince = Date.parse(seen.success ?? saved);
  const isOver =
    kind === 'launch'
      ? now - idleSince >= LAUNCH_TOKEN_IDLE_MS
      : now - Date.parse(saved) >= PROVISION_TOKEN_MS;
  if (isOver) return 'stale';
  return seen.success === undefined ? 'unseen' : 'live';
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
