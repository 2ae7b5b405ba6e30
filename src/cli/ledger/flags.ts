import { defineFlags, type OptionsOf, REPLACE_FLAG } from '../arguments/flags.ts';

export const SAVE_LEDGER_FLAGS = defineFlags({
  '--force': 'replace an existing ledger of that name',
});
export type LedgerSaveOptions = OptionsOf<typeof SAVE_LEDGER_FLAGS>;

export const EXPORT_RUN_FLAGS = defineFlags({
  '--again': 'export a run again that was moved to another file',
  ...REPLACE_FLAG,
});
export type LedgerExportOptions = OptionsOf<typeof EXPORT_RUN_FLAGS>;

export const PRUNE_FLAGS = defineFlags({
  '--older-than <duration>': 'how old, such as 180d (required)',
  '--run <run>': 'only this run',
  '--dry-run': 'show how much would be removed without removing it',
});
export type LedgerPruneOptions = OptionsOf<typeof PRUNE_FLAGS>;
