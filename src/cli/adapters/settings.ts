import Conf from 'conf';
import { StateError } from '../errors.ts';
import type { Settings, SettingValues } from '../runtime.ts';

/** Settings only, never a secret: the file may be lost or read by others without harm. */
export function createSettings(folder: string): Settings {
  const conf = openConf(folder);
  return {
    get: (name) => conf.get(name),
    set: (name, value) => {
      if (value === undefined) conf.delete(name);
      else conf.set(name, value);
    },
  };
}

function openConf(folder: string): Conf<SettingValues> {
  try {
    return new Conf<SettingValues>({
      cwd: folder,
      configName: 'settings',
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
    });
  } catch (error) {
    throw new StateError(
      `${folder}/settings.json cannot be read`,
      'remove it: it holds only which launch is current and such choices',
      { cause: error },
    );
  }
}
