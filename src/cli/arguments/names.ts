import { isDeviceName } from '../../transfer/local-names.ts';
import { UsageError } from '../../errors.ts';
import { refuseSecret } from './secrets.ts';
import type { NamedStore } from '../saved.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export function isName(text: string): boolean {
  return NAME.test(text);
}

/** Whether two names are the same: on some disks `Prod` and `prod` are one file. */
export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

export function checkName(name: string): void {
  refuseSecret(name);
  // On every platform: a home may be copied to Windows, where the name would be a device.
  if (isDeviceName(name)) {
    throw new UsageError(`${JSON.stringify(name)} is the name of a device`, 'give another name');
  }
  if (isName(name)) return;
  throw new UsageError(
    `${JSON.stringify(name)} is not a valid name`,
    'a name has 1 to 64 letters, digits, ".", "_" or "-", and starts with a letter or digit',
  );
}

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
