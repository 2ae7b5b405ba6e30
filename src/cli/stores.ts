/** The data that is saved by name, or chosen, under a home. */
import type { Claims } from '../contract/index.ts';
import type { PostgresAddress } from '../ledger/postgres/address.ts';

/** A saved launch: its claims, and the origin that its token may be sent to. */
export interface SavedLaunch {
  readonly name: string;
  readonly claims: Claims;
  readonly origin: string | undefined;
  /** ISO 8601. */
  readonly saved: string;
}

/** Identifies a saved launch: one that is saved again has another token. */
export type LaunchRef = Pick<SavedLaunch, 'name' | 'saved'>;

/** The last known state of a saved launch's token; ISO 8601. */
export interface TokenStatus {
  /** The last successful call. */
  readonly success?: string;
  /** When it was last answered with 401, unless it was accepted later. */
  readonly ended?: string;
}

/**
 * A store of named entries. Names are compared without case, as some disks do. The secret of an
 * entry is read only when it is needed.
 */
export interface NamedStore<Entry, Listed = Entry> {
  /** In alphabetical order. */
  readonly names: () => Promise<string[]>;
  /** The spelling of a saved name, perhaps in another case; undefined if there is none. */
  readonly spelling: (name: string) => Promise<string | undefined>;
  /**
   * In alphabetical order, without secrets. Unreadable entries are skipped; `damaged` gets the
   * reason, which names the file.
   */
  readonly list: (damaged?: (why: string) => void) => Promise<Listed[]>;
  /** Without its secret. */
  readonly find: (name: string) => Promise<Listed | undefined>;
  /** With its secret. */
  readonly get: (name: string) => Promise<Entry | undefined>;
  /**
   * Written whole or not at all. Replaces an entry with the same name, and keeps the case of that
   * name.
   */
  readonly save: (entry: Entry) => Promise<SavedEntry>;
  /** False if there was none. */
  readonly remove: (name: string) => Promise<boolean>;
}

export interface SavedEntry {
  readonly name: string;
  /** The file that holds its secret; undefined if there is none, or the keychain has it. */
  readonly secretFile: string | undefined;
}

/** A saved tool API key, for one origin. */
export interface SavedKey {
  readonly name: string;
  readonly secret: string;
  readonly origin: string;
  readonly saved: string;
}

export interface SavedLedger {
  readonly name: string;
  /** Without a password. */
  readonly url: string;
  readonly password?: string | undefined;
  readonly saved: string;
}

/** The address of a shared ledger, and its password if lectern keeps it. */
export interface LedgerAddress {
  readonly address: PostgresAddress;
  readonly password: string | undefined;
}

/** Settings, which contain no secrets. */
export interface SettingValues {
  /** The launch chosen with `launch use`. */
  currentLaunch?: string;
  /** The API key chosen with `key use`. */
  currentKey?: string;
  /** The shared ledger chosen with `ledger use`. */
  currentLedger?: string;
  /** false: before-images of rows are not stored. */
  history?: boolean;
}

/** The variables, or the path of the project file, that chose what a command uses. */
export type Sources = { [Part in CallPart]?: string | undefined };

/** What a call is made of (src/cli/session/precedence.ts). */
export type CallPart = 'launch' | 'token' | 'key' | 'url' | 'ledger' | 'emulator' | 'policy';
