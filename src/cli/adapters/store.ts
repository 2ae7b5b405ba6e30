import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isObject } from '../../contract/is-object.ts';
import { isSameName } from '../arguments/names.ts';
import { readPlainFile } from '../../disk/plain-file.ts';
import { reasonOf } from '../../disk/open-file.ts';
import { StateError } from '../../errors.ts';
import { MAX_JSON_BYTES } from '../input/limit.ts';
import { makePrivateFolder, SECRET_FILE_MODE, writeWhole } from './disk.ts';
import { isTemporaryOf, isTemporaryPath, removeStaleFiles } from '../../disk/stale-files.ts';

/** JSON objects by name, each in a file. */
export interface FileStore<Entry> {
  readonly pathOf: (name: string) => string;
  /** In alphabetical order. */
  readonly names: () => Promise<string[]>;
  /** The spelling of a name in its file, perhaps in another case; undefined without a file. */
  readonly spelling: (name: string) => Promise<string | undefined>;
  /** Throws StateError if it is damaged, or contains another name. */
  readonly get: (name: string) => Promise<Entry | undefined>;
  readonly save: (entry: Entry) => Promise<void>;
  /** False if there was none. */
  readonly remove: (name: string) => Promise<boolean>;
}

/**
 * Secrets by name, each in a file (0600, in a 0700 folder), so that two processes can save at once.
 * A file is damaged if `isWhole` rejects its object.
 */
export function createFileStore<Entry extends { readonly name: string }>(
  folder: string,
  isWhole: (value: Readonly<Record<string, unknown>>) => boolean,
): FileStore<Entry> {
  const pathOf = (name: string): string => join(folder, `${name}.json`);
  const names = async (): Promise<string[]> => (await namesIn(folder)).sort();
  const spelling = async (name: string): Promise<string | undefined> => {
    const saved = await names();
    return saved.includes(name) ? name : saved.find((each) => isSameName(each, name));
  };
  const get = async (name: string): Promise<Entry | undefined> => {
    // Most names are typed as they were saved, which saves reading the folder.
    const typed = (await ensurePrivate(pathOf(name))) ? name : await spelling(name);
    if (typed === undefined || !(await ensurePrivate(pathOf(typed)))) return undefined;
    const path = pathOf(typed);
    const value = parse(readText(path));
    if (!isObject(value) || typeof value.name !== 'string' || !isWhole(value)) {
      throw new StateError(`${path} is damaged`, 'remove it and save again');
    }
    // A copy under another name would get the secret that the keychain has for that name.
    if (isSameName(value.name, name)) return value as Entry;
    throw new StateError(
      `${path} is not used: the name in it is ${JSON.stringify(value.name)}`,
      'remove it and save again',
    );
  };
  return {
    pathOf,
    get,
    names,
    spelling,
    save: async (entry) => {
      await ensurePrivate(pathOf(entry.name));
      for (const each of [dirname(folder), folder]) await makePrivateFolder(each);
      await removeStaleFiles(folder, isTemporaryPath);
      // Without indentation, which would be most of the file if values are deeply nested.
      await writeWhole(pathOf(entry.name), `${JSON.stringify(entry)}\n`, { secret: true });
    },
    remove: async (name) => {
      const present = await ensurePrivate(pathOf(name));
      await rm(pathOf(name), { force: true });
      await removeStaleFiles(folder, isTemporaryOf(pathOf(name)), 0);
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
    throw new StateError(`${path} belongs to another user`, 'remove it, or set LECTERN_HOME');
  }
  if ((stats.mode & 0o077) !== 0 && process.platform !== 'win32') {
    await chmod(path, SECRET_FILE_MODE);
  }
  return true;
}

function readText(path: string): string {
  try {
    return readPlainFile(path, MAX_JSON_BYTES, { followLinks: false }).toString();
  } catch (error) {
    throw new StateError(`${path} cannot be read: ${reasonOf(error)}`, undefined, {
      cause: error,
    });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
