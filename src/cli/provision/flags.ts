import { defineFlags, type OptionsOf } from '../arguments/flags.ts';

export const PROVISION_FLAGS = defineFlags({
  '--dry-run': 'show what would be sent without sending it',
});
export type ProvisionOptions = OptionsOf<typeof PROVISION_FLAGS>;
