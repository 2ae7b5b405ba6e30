import { quoted } from '../../contract/shell-word.ts';
import type { EmulatorStartOptions } from './flags.ts';

/** The command that starts an emulator as it was started, flag by flag as given. */
export function startCommand(options: EmulatorStartOptions): string {
  const flags = [
    ['--memory', options.memory],
    ['--data', options.data],
    ['--seed', options.seed],
    ['--port', options.port],
    ['--host', options.host],
    ['--blob-port', options.blobPort],
    ['--tool-port', options.toolPort],
    ['--public-url', options.publicUrl],
    ['--public-blob-url', options.publicBlobUrl],
    ['--capture', options.capture],
    ['--chaos', options.chaos],
    ['--chaos-share', options.chaosShare],
  ] as const;
  const given = flags.flatMap(([flag, value]) =>
    value === undefined || value === false
      ? []
      : [value === true ? flag : `${flag} ${quoted(String(value))}`],
  );
  return ['lectern emulator start', ...given].join(' ');
}
