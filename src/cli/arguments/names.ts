import { isDeviceName } from '../../transfer/local-names.ts';
import { nearest } from '../../contract/nearest.ts';
import { UsageError } from '../../errors.ts';
import { refuseSecret } from './secrets.ts';
import type { NamedStore } from '../stores.ts';

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
  what: keyof typeof HOW_TO_SAVE,
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

/** How each kind is saved, for hints. */
export const HOW_TO_SAVE = {
  launch: 'save one with: lectern launch save NAME FILE',
  key: 'save one with: lectern key save NAME --origin URL',
  ledger: 'save one with: lectern ledger save NAME --url postgres://host/database',
} as const;

/** That a name is unknown. That of a key or a ledger may be a secret, so it is not repeated. */
const UNKNOWN = {
  launch: (name) => `no saved launch named ${JSON.stringify(name)}`,
  key: () => 'no API key is saved under this name',
  ledger: () => 'no ledger is saved under this name',
} satisfies Readonly<Record<keyof typeof HOW_TO_SAVE, (name: string) => string>>;

/** The error for an unknown name, with the nearest one; `where` says where it comes from. */
export async function unknownName(
  store: Pick<NamedStore<unknown>, 'names'>,
  what: keyof typeof HOW_TO_SAVE,
  name: string,
  where = '',
): Promise<UsageError> {
  refuseSecret(name);
  const names = await store.names();
  const hint = names.length === 0 ? HOW_TO_SAVE[what] : nearest(name, names);
  return new UsageError(UNKNOWN[what](name) + where, hint);
}
