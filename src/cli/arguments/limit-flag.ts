import { defineFlags, type OptionsOf } from './flags.ts';
import { wholeNumber } from './numbers.ts';

/** The length of a list. */
export const LIMIT_FLAG = defineFlags({
  '--limit <n>': {
    help: 'list at most this many (default on a terminal: 30)',
    parse: wholeNumber({ from: 1 }),
  },
});
export type LimitOptions = OptionsOf<typeof LIMIT_FLAG>;
