import { join } from 'node:path';
import { readPlainFile } from '../../disk/plain-file.ts';
import { reasonOf } from '../../disk/open-file.ts';
import { isObject } from '../../contract/is-object.ts';
import { isName } from '../arguments/names.ts';
import { StateError } from '../../errors.ts';
import type { FileLock } from '../../sqlite/locks.ts';
import type { SettingValues } from '../stores.ts';
import { PRIVATE_MODE } from '../../disk/private-file.ts';
import { makePrivateFolder } from './disk.ts';
import { removeStaleFiles } from '../../disk/stale-files.ts';

const NAME = 'settings';

/**
 * Settings contain no secrets: the file may be lost or read by others without harm. It is read on
 * first use, so that a damaged one affects only commands that need it. Nearly every command reads
 * settings and few write them, so the writing library is loaded only for that.
 */
export function createSettings(folder: string) {
  const file = join(folder, `${NAME}.json`);
  let values: SettingValues | undefined;
  const read = (): SettingValues => (values ??= readValues(file));
  return {
    /** Throws StateError if the settings are damaged, as `set` does. */
    get: <Name extends keyof SettingValues>(name: Name): SettingValues[Name] => read()[name],
    /** With `isDefault` a value that is set already stays. Returns the one that is set. */
    set: async <Name extends keyof SettingValues>(
      name: Name,
      value: SettingValues[Name],
      { isDefault = false } = {},
    ): Promise<SettingValues[Name]> => {
      read();
      const { default: Conf } = await import('conf');
      await makePrivateFolder(folder);
      const lock = await takeLock(folder);
      await removeStaleFiles(folder, (each) => CONF_TEMPORARY.test(each));
      try {
        const conf = new Conf<SettingValues>({
          cwd: folder,
          configName: NAME,
          configFileMode: PRIVATE_MODE,
          accessPropertiesByDotNotation: false,
        });
        if (value === undefined) conf.delete(name);
        else if (!isDefault || !conf.has(name)) conf.set(name, value);
        values = conf.store;
        return values[name];
      } finally {
        lock?.release();
      }
    },
  };
}

/** The name of conf's temporary file. */
const CONF_TEMPORARY = /^settings\.json\.tmp-[0-9a-f]+$/;

const LOCK_WAIT_MS = 5000;

/**
 * Locks the settings for a change: they are written as a whole, so one of two concurrent changes
 * would be lost. Undefined if the lock cannot be written: then neither can the settings, which is
 * reported.
 */
async function takeLock(folder: string): Promise<FileLock | undefined> {
  const { Locks } = await import('../../sqlite/locks.ts');
  const { sqliteFaultOf } = await import('../../sqlite/error.ts');
  try {
    return await new Locks(join(folder, NAME)).wait('write', LOCK_WAIT_MS);
  } catch (error) {
    if (sqliteFaultOf(error) !== 'busy') return undefined;
    throw new StateError(
      `the settings in ${folder} are locked by another lectern process; nothing was changed`,
      'end that process if it is suspended, and run the command again',
    );
  }
}

/** A larger file does not contain settings. */
const MAX_BYTES = 64 * 1024;

function readValues(file: string): SettingValues {
  try {
    const values: unknown = JSON.parse(readPlainFile(file, MAX_BYTES).toString());
    if (isSettings(values)) return values;
    throw new SyntaxError('not settings');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    const isDamaged = error instanceof SyntaxError;
    throw new StateError(
      `${file} cannot be read: ${isDamaged ? 'it is damaged' : reasonOf(error)}`,
      // An unreadable file may be intact.
      isDamaged
        ? 'remove it: it only contains settings such as the launch in use'
        : 'it contains settings such as the launch in use: check its permissions and its contents',
      { cause: error },
    );
  }
}

/** Values of another version are kept if they are as simple. */
function isSettings(values: unknown): values is SettingValues {
  if (!isObject(values)) return false;
  if (Object.values(values).some((value) => typeof value === 'object')) return false;
  const { currentLaunch, currentKey, currentLedger, history } = values;
  const names = [currentLaunch, currentKey, currentLedger].filter((name) => name !== undefined);
  return (
    names.every((name) => typeof name === 'string' && isName(name)) &&
    (history === undefined || typeof history === 'boolean')
  );
}
