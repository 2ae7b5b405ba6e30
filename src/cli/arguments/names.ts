import { isDeviceName } from '../../transfer/device-name.ts';
import { UsageError } from '../../errors.ts';
import { refuseSecret } from './secrets.ts';

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
