import { defineFlags, type OptionsOf } from '../arguments/flags.ts';

export const SAVE_KEY_FLAGS = defineFlags({
  '--origin <url>': 'the base URL of the service that the key is for (required)',
  '--force': 'replace an existing key of that name',
});
export type KeySaveOptions = OptionsOf<typeof SAVE_KEY_FLAGS>;
