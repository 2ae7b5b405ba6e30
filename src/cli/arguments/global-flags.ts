import { defineFlags, type OptionsOf } from './flags.ts';
import { number } from './numbers.ts';

/** The flags that every command takes ("Everywhere"). */
export const GLOBAL_FLAGS = defineFlags({
  '-l, --launch <name|file>': 'the launch to use (env LECTERN_LAUNCH)',
  '-k, --api-key <name>': 'name of the saved tool API key to use (grades only)',
  '--url <url>':
    'call this URL directly; {member} marks the member segment of a grade URL, and run:N is the URL of run N',
  '--json': 'print JSON; streams print one JSON object per line',
  '-y, --yes': 'answer yes to every prompt',
  '--timeout <seconds>': {
    help: 'time limit for one call (default: 60; bytes of a file may take longer at 1 KB/s or more)',
    parse: number({ above: 0, to: 86_400 }),
  },
  '--emulator <url|dir>': 'the running emulator to use (env LECTERN_EMULATOR)',
  '--ledger <url|name>': 'the shared ledger to use (env LECTERN_LEDGER; grades only)',
  '--no-color': 'disable color output (env NO_COLOR)',
  '--wide': 'do not fit tables to the terminal width',
  '--no-pager': 'print long texts without a pager (env LECTERN_PAGER, PAGER)',
  '-q, --quiet': 'print only errors',
  '-v, --verbose': 'print each request and response to standard error',
});

export type GlobalOptions = OptionsOf<typeof GLOBAL_FLAGS>;
