import { CONTRACT_HELP, contractDate } from '../arguments/numbers.ts';
import { defineFlags, REPLACE_FLAG } from '../arguments/flags.ts';

export const DECODE_FLAGS = defineFlags({
  '--contract <date>': { help: CONTRACT_HELP, parse: contractDate },
  '--exit-code': 'exit with 3 if the launch has an error',
});

/** The time between two checks of `--watch`. */
export const WATCH_INTERVAL_MS = 10_000;

export const CHECK_FLAGS = defineFlags({
  '--watch': `check again every ${WATCH_INTERVAL_MS / 1000} s and print each change`,
});

export const CAPTURE_FLAGS = defineFlags({
  '--to <file>': { help: 'the seed to write', required: true },
  '--with-content': 'keep contents, names and IDs as they are, and download the files',
  '--no-files': 'leave the files out',
  '--salt <text>': 'other replacements than those of this course',
  ...REPLACE_FLAG,
});

export const SAVE_LAUNCH_FLAGS = defineFlags({
  '--force': 'replace an existing launch of that name',
});

/** `reveal` is true for all claims. */
export const SHOW_FLAGS = defineFlags({
  '--reveal [claim]': 'print all claims with secrets, or the value of one claim, such as api.token',
});
