import { UsageError } from '../../errors.ts';
import { checkName } from '../arguments/names.ts';
import type { NamedStore } from '../saved.ts';

/** Refuses an invalid name, or one that is taken. */
export async function refuseTaken(
  store: Pick<NamedStore<unknown>, 'spelling'>,
  what: 'key' | 'launch' | 'ledger',
  name: string,
  force: boolean | undefined,
): Promise<void> {
  checkName(name);
  const taken = force ? undefined : await store.spelling(name);
  if (taken === undefined) return;
  throw new UsageError(
    `a ${what} named ${taken} is already saved`,
    'use another name, or --force to replace it',
  );
}
