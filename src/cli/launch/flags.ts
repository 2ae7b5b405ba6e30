import { CONTRACT_HELP, contractDate } from '../arguments/numbers.ts';
import { defineFlags, type OptionsOf, REPLACE_FLAG } from '../arguments/flags.ts';

export const DECODE_FLAGS = defineFlags({
  '--contract <date>': { help: CONTRACT_HELP, parse: contractDate },
  '--exit-code': 'exit with 3 if the launch has an error',
});
export type LaunchDecodeOptions = OptionsOf<typeof DECODE_FLAGS>;

/** The time between two checks of `--watch`. */
export const WATCH_INTERVAL_MS = 10_000;

export const CHECK_FLAGS = defineFlags({
  '--watch': `check again every ${WATCH_INTERVAL_MS / 1000} s and print each change`,
});
export type LaunchCheckOptions = OptionsOf<typeof CHECK_FLAGS>;

export const CAPTURE_FLAGS = defineFlags({
  '--to <file>': { help: 'the seed to write', required: true },
  '--with-content': 'keep contents, names and IDs as they are, and download the files',
  '--no-files': 'leave the files out',
  '--salt <text>': 'other replacements than those of this course',
  ...REPLACE_FLAG,
});
export type LaunchCaptureOptions = OptionsOf<typeof CAPTURE_FLAGS>;

export const SAVE_LAUNCH_FLAGS = defineFlags({
  '--force': 'replace an existing launch of that name',
});
export type LaunchSaveOptions = OptionsOf<typeof SAVE_LAUNCH_FLAGS>;

/** `reveal` is true for all claims. */
export const SHOW_FLAGS = defineFlags({
  '--reveal [claim]': 'print all claims with secrets, or the value of one claim, such as api.token',
});
export type LaunchShowOptions = OptionsOf<typeof SHOW_FLAGS>;
