import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StateError } from '../errors.ts';
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

function readValues(file: string): SettingValues {
  try {
    const values: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof values === 'object' && values !== null) return values;
    throw new SyntaxError('it holds no object');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new StateError(
      `${file} cannot be read`,
      'remove it: it holds only which launch is current and such choices',
      { cause: error },
    );
  }
}
