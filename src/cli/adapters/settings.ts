import { join } from 'node:path';
import { readPlainFile, UnusableFileError } from '../../disk/plain-file.ts';
import { isObject } from '../../contract/is-object.ts';
import { isName } from '../arguments/names.ts';
import { StateError } from '../../errors.ts';
import type { Settings, SettingValues } from '../runtime.ts';
import { makePrivateFolder, SECRET_FILE_MODE } from './disk.ts';

const NAME = 'settings';

/**
 * Settings only, never a secret: the file may be lost or read by others without harm. It is read
 * when the first is asked for, so that a damaged one stops nothing that needs none. Nearly every
 * command reads them and few write, so that the library which writes is loaded then.
 */
export function createSettings(folder: string): Settings {
  const file = join(folder, `${NAME}.json`);
  let values: SettingValues | undefined;
  const read = (): SettingValues => (values ??= readValues(file));
  return {
    get: (name) => read()[name],
    set: async (name, value) => {
      read();
      const { default: Conf } = await import('conf');
      await makePrivateFolder(folder);
      const conf = new Conf<SettingValues>({
        cwd: folder,
        configName: NAME,
        configFileMode: SECRET_FILE_MODE,
        accessPropertiesByDotNotation: false,
      });
      if (value === undefined) conf.delete(name);
      else conf.set(name, value);
      values = conf.store;
    },
  };
}

/** A few choices; what is larger is something else. */
const MAX_BYTES = 64 * 1024;

function readValues(file: string): SettingValues {
  try {
    const values: unknown = JSON.parse(readPlainFile(file, MAX_BYTES).toString());
    if (isSettings(values)) return values;
    throw new SyntaxError('it does not hold settings');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return {};
    const reason = error instanceof UnusableFileError ? error.reason : (code ?? 'it is damaged');
    throw new StateError(
      `${file} cannot be read: ${reason}`,
      'remove it: it holds only which launch is current and such choices',
      { cause: error },
    );
  }
}

/** What another version may have added is kept, if it is as plain. */
function isSettings(values: unknown): values is SettingValues {
  if (!isObject(values)) return false;
  if (Object.values(values).some((value) => typeof value === 'object')) return false;
  const { currentLaunch, history } = values;
  return (
    (currentLaunch === undefined || (typeof currentLaunch === 'string' && isName(currentLaunch))) &&
    (history === undefined || typeof history === 'boolean')
  );
}
