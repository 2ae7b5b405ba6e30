import { defineFlags, type OptionsOf } from '../arguments/flags.ts';

export const INIT_FLAGS = defineFlags({ '--force': 'replace an existing project file' });
export type InitOptions = OptionsOf<typeof INIT_FLAGS>;
