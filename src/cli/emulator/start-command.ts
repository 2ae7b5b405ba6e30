import { quoted } from '../../contract/shell-word.ts';
import { flagWords } from '../arguments/flags.ts';
import { type EmulatorStartOptions, START_FLAGS } from './flags.ts';

/** The command that starts the same emulator, with all flags as given. */
export function startCommand(options: EmulatorStartOptions): string {
  const words = flagWords(START_FLAGS, options).map((word) => {
    const [flag = '', ...value] = word.split('=');
    return value.length === 0 ? flag : `${flag} ${quoted(value.join('='))}`;
  });
  return ['lectern emulator start', ...words].join(' ');
}
