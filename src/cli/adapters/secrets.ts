import { dirname, join } from 'node:path';
import { StateError } from '../../errors.ts';
import type { NamedStore, SavedKey, SavedLaunch, SavedLedger } from '../stores.ts';
import type { Keychain } from './keychain.ts';
import { lstat, readdir, rm } from 'node:fs/promises';
import { isObject } from '../../contract/is-object.ts';
import { isSameName } from '../arguments/names.ts';
import { readPlainFile } from '../../disk/plain-file.ts';
import { reasonOf } from '../../disk/open-file.ts';
import { nativeOrUndefined } from '../../json/native.ts';
import { MAX_JSON_BYTES } from '../sizes.ts';
import { makePrivate, PRIVATE_MODE } from '../../disk/private-file.ts';
import { makePrivateFolder, writeWhole } from './disk.ts';
import { isReplacementOf, isReplacement, removeStaleFiles } from '../../disk/stale-files.ts';

type Fields = Readonly<Record<string, unknown>>;
type Named = { readonly name: string };

/** What is saved, and where its secret is. */
interface Kind {
  /** Whether the value in a file is such an entry, except for its name. */
  readonly isWhole: (value: Fields) => boolean;
  readonly secret: readonly string[];
}

/** The stores of saved launches, tool API keys, and addresses of shared ledgers with a password. */
export function createSecretStores(home: string, keychain: Keychain) {
  return {
    launches: secretStore<SavedLaunch>(join(home, 'launches'), keychain, {
      isWhole: ({ claims, saved }) =>
        typeof claims === 'object' && claims !== null && typeof saved === 'string',
      secret: ['claims', 'api', 'token'],
    }),
    keys: secretStore<SavedKey, Omit<SavedKey, 'secret'>>(join(home, 'keys'), keychain, {
      isWhole: ({ origin, saved, secret, keychain: isElsewhere }) =>
        typeof origin === 'string' &&
        typeof saved === 'string' &&
        (typeof secret === 'string' || isElsewhere === true),
      secret: ['secret'],
    }),
    ledgers: secretStore<SavedLedger, Omit<SavedLedger, 'password'>>(
      join(home, 'ledgers'),
      keychain,
      {
        isWhole: ({ url, saved, password }) =>
          typeof url === 'string' &&
          typeof saved === 'string' &&
          (password === undefined || typeof password === 'string'),
        secret: ['password'],
      },
    ),
  };
}

function textIn(value: unknown, [name, ...rest]: readonly string[]): string | undefined {
  if (name === undefined) return typeof value === 'string' ? value : undefined;
  return isObject(value) ? textIn(value[name], rest) : undefined;
}

/** The same value with another secret; `undefined` removes it, as JSON has no such value. */
function withSecret<Value extends object>(
  value: Value,
  [name = '', ...rest]: readonly string[],
  secret: string | undefined,
): Value {
  if (rest.length === 0) return { ...value, [name]: secret };
  const inner: unknown = value[name as keyof Value];
  return isObject(inner) ? { ...value, [name]: withSecret(inner, rest, secret) } : value;
}

type StoredEntry<Value> = Value & { readonly keychain?: true };
type Saved = Named & { readonly saved: string };

/**
 * Named files, with their secrets in the system keychain if it is wanted and works; else in the
 * files too. A file records whether its secret is elsewhere.
 */
function secretStore<Entry extends Saved, Listed extends Saved = Entry>(
  folder: string,
  keychain: Keychain,
  { isWhole, secret: place }: Kind,
): NamedStore<Entry, Listed> {
  const files = createFileStore<StoredEntry<Entry | Listed>>(folder, isWhole);
  // Another one for each save: a file never gets the secret of another save, or of another origin.
  const accountOf = ({ name, saved }: Saved): string => `${files.pathOf(name)}#${saved}`;
  const find = async (name: string): Promise<Listed | undefined> => {
    const { keychain: _, ...saved } = (await files.get(name)) ?? {};
    return 'name' in saved ? (withSecret(saved, place, undefined) as unknown as Listed) : undefined;
  };
  /** Only the file refers to the secret: if the secret cannot be deleted, the file stays. */
  const forget = async (before: StoredEntry<Entry | Listed> | undefined): Promise<void> => {
    if (!before?.keychain) return;
    const answer = await keychain.call({ action: 'remove', account: accountOf(before) });
    if (!answer.ok) throw keychainError('cannot remove', answer.why, files.pathOf(before.name));
  };
  /** A damaged file can be replaced or deleted without knowing its content. */
  const stored = (name: string) => files.get(name).catch(() => undefined);
  return {
    names: files.names,
    spelling: files.spelling,
    find,
    list: async (damaged = () => {}) => {
      const skip = (error: unknown): undefined => {
        if (!(error instanceof StateError)) throw error;
        damaged(error.message);
      };
      const names = await files.names();
      const entries = await Promise.all(names.map((name) => find(name).catch(skip)));
      return entries.filter((entry) => entry !== undefined);
    },
    get: async (name) => {
      const saved = await files.get(name);
      if (saved === undefined) return undefined;
      const { keychain: isElsewhere, ...kept } = saved;
      if (!isElsewhere) return kept as unknown as Entry;
      const answer = await keychain.call({ action: 'get', account: accountOf(saved) });
      if (!answer.ok || answer.secret === null) {
        const why = answer.ok ? 'no such entry' : answer.why;
        throw keychainError('cannot read', why, files.pathOf(saved.name));
      }
      const { secret } = answer;
      return withSecret(kept, place, secret) as unknown as Entry;
    },
    save: async (given) => {
      const entry = { ...given, name: (await files.spelling(given.name)) ?? given.name };
      const { name } = entry;
      const secret = textIn(entry, place);
      const set = keychain.isWanted && secret !== undefined;
      const account = accountOf(entry);
      const isSet = set && (await keychain.call({ action: 'set', account, secret })).ok;
      const before = await stored(name);
      if (!isSet) await forget(before);
      await files.save(isSet ? { ...withSecret(entry, place, undefined), keychain: true } : entry);
      if (isSet) await forget(before);
      return { name, secretFile: isSet || secret === undefined ? undefined : files.pathOf(name) };
    },
    remove: async (given) => {
      const name = (await files.spelling(given)) ?? given;
      await forget(await stored(name));
      return files.remove(name);
    },
  };
}

function keychainError(failure: string, why: string, file: string): StateError {
  return new StateError(
    `${failure} the secret in the system keychain: ${why}`,
    `unlock the keychain; if the entry is lost, remove ${file} and save again (LECTERN_KEYCHAIN=off saves to a file)`,
  );
}

/**
 * Secrets by name, each in a file (0600, in a 0700 folder), so that two processes can save at once.
 * A file is damaged if `isWhole` rejects its object.
 */
function createFileStore<Entry extends Named>(folder: string, isWhole: Kind['isWhole']) {
  const pathOf = (name: string): string => join(folder, `${name}.json`);
  const names = async (): Promise<string[]> => (await namesIn(folder)).sort();
  const spelling = async (name: string): Promise<string | undefined> => {
    const saved = await names();
    return saved.includes(name) ? name : saved.find((each) => isSameName(each, name));
  };
  /** Throws StateError if it is damaged, or contains another name. */
  const get = async (name: string): Promise<Entry | undefined> => {
    // Most names are typed as they were saved, which saves reading the folder.
    const typed = (await ensurePrivate(pathOf(name))) ? name : await spelling(name);
    if (typed === undefined || !(await ensurePrivate(pathOf(typed)))) return undefined;
    const path = pathOf(typed);
    const value = nativeOrUndefined(readText(path));
    if (!isObject(value) || typeof value.name !== 'string' || !isWhole(value)) {
      throw new StateError(`${path} is damaged`, 'remove it and save again');
    }
    // A copy under another name would get the secret that the keychain has for that name.
    if (isSameName(value.name, name)) return value as Entry;
    const message = `${path} is not used: the name in it is ${JSON.stringify(value.name)}`;
    throw new StateError(message, 'remove it and save again');
  };
  return {
    pathOf,
    get,
    names,
    spelling,
    save: async (entry: Entry): Promise<void> => {
      await ensurePrivate(pathOf(entry.name));
      for (const each of [dirname(folder), folder]) await makePrivateFolder(each);
      await removeStaleFiles(folder, isReplacement);
      // Without indentation, which would be most of the file if values are deeply nested.
      await writeWhole(pathOf(entry.name), `${JSON.stringify(entry)}\n`, { secret: true });
    },
    remove: async (name: string): Promise<boolean> => {
      const present = await ensurePrivate(pathOf(name));
      await rm(pathOf(name), { force: true });
      await removeStaleFiles(folder, isReplacementOf(pathOf(name)), 0);
      return present;
    },
  };
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder);
    return entries.filter((each) => each.endsWith('.json')).map((each) => each.slice(0, -5));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Whether the file exists; makes it private if others can read it, and refuses a link. */
async function ensurePrivate(path: string): Promise<boolean> {
  const stats = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (stats === undefined) return false;
  if (!stats.isFile()) {
    throw new StateError(`${path} is not a regular file`, 'symbolic links are not followed here');
  }
  const owner = process.getuid?.();
  if (owner !== undefined && stats.uid !== owner) {
    const hint = 'set LECTERN_HOME to a folder of your own';
    throw new StateError(`${path} belongs to another user`, hint);
  }
  makePrivate(path, PRIVATE_MODE);
  return true;
}

function readText(path: string): string {
  try {
    return readPlainFile(path, MAX_JSON_BYTES, { followLinks: false }).toString();
  } catch (error) {
    const message = `${path} cannot be read: ${reasonOf(error)}`;
    throw new StateError(message, undefined, { cause: error });
  }
}
