import { defineFlags } from '../arguments/flags.ts';

export const SAVE_KEY_FLAGS = defineFlags({
  '--origin <url>': 'the base URL of the service that the key is for (required)',
  '--force': 'replace an existing key of that name',
});
