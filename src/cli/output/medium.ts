import { UsageError } from '../../errors.ts';
import type { Context } from '../runtime.ts';

/** Throws `UsageError` if what a flag asks for and JSON would both be on standard output. */
export function refuseJson({ options }: Context, flag: string): void {
  if (!options.json) return;
  throw new UsageError(`${flag} and --json cannot be used together`, 'use one of them');
}
