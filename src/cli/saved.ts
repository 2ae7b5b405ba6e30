/** What is kept by name, or chosen, under a home. */
import type { Claims } from '../contract/index.ts';
import type { PostgresAddress } from '../ledger/postgres/address.ts';

/** A launch kept by name: its claims, and the origin that its token may be sent to. */
export interface SavedLaunch {
  readonly name: string;
  readonly claims: Claims;
  readonly origin: string | undefined;
  /** ISO 8601. */
  readonly saved: string;
}

/** Which saved launch: one that is saved anew is another, with another token. */
export type LaunchRef = Pick<SavedLaunch, 'name' | 'saved'>;

/** What was last seen of a saved launch's token; ISO 8601. */
export interface TokenStatus {
  /** The last successful call. */
  readonly success?: string;
  /** When it was answered with 401, unless it was accepted after that. */
  readonly ended?: string;
}

/** What was seen of the saved launches; to lose it is no harm. */
export interface TokenStatusStore {
  readonly of: (launch: LaunchRef) => Promise<TokenStatus>;
  /** Kept once, at the end of the command, however often it is called. */
  readonly note: (launch: LaunchRef, seen: TokenStatus) => void;
  readonly forget: (name: string) => Promise<void>;
}

/**
 * What is saved by name. Names are compared without case: some disks do so. The secret of an entry is
 * read only where it is needed.
 */
export interface NamedStore<Entry, Listed = Entry> {
  /** In their order. */
  readonly names: () => Promise<string[]>;
  /** A name as it was saved, perhaps in another case; undefined if it is not. */
  readonly spelling: (name: string) => Promise<string | undefined>;
  /**
   * In the order of the names, without their secrets. What cannot be read is passed over, and
   * `damaged` is told why, which names the file.
   */
  readonly list: (damaged?: (why: string) => void) => Promise<Listed[]>;
  /** Without its secret. */
  readonly find: (name: string) => Promise<Listed | undefined>;
  /** With its secret. */
  readonly get: (name: string) => Promise<Entry | undefined>;
  /** Whole or not at all; replaces what had the name, and keeps the case of that name. */
  readonly save: (entry: Entry) => Promise<SavedEntry>;
  /** False where there was none of that name. */
  readonly remove: (name: string) => Promise<boolean>;
}

/** How an entry was saved. */
export interface SavedEntry {
  readonly name: string;
  /** The file that holds its secret; undefined if there is none, or the keychain has it. */
  readonly secretFile: string | undefined;
}

/** A tool API key kept by name, for one origin. */
export interface SavedKey {
  readonly name: string;
  readonly secret: string;
  readonly origin: string;
  readonly saved: string;
}

/** The address of a shared ledger kept by name. */
export interface SavedLedger {
  readonly name: string;
  /** Without a password. */
  readonly url: string;
  readonly password?: string | undefined;
  readonly saved: string;
}

/** Where a shared ledger is, and the password, where lectern keeps it. */
export interface LedgerAddress {
  readonly address: PostgresAddress;
  readonly password: string | undefined;
}

/** Choices that are no secret. */
export interface SettingValues {
  /** The launch chosen with `launch use`. */
  currentLaunch?: string;
  /** The API key chosen with `key use`. */
  currentKey?: string;
  /** The shared ledger chosen with `ledger use`. */
  currentLedger?: string;
  /** false: keep no before-images of rows. */
  history?: boolean;
}

export interface Settings {
  /** Throws StateError where the settings are damaged, as `set` does. */
  readonly get: <Name extends keyof SettingValues>(name: Name) => SettingValues[Name];
  readonly set: <Name extends keyof SettingValues>(
    name: Name,
    value: SettingValues[Name],
  ) => Promise<void>;
}
