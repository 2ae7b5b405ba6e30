import { isLoopback, originOf } from '../../contract/index.ts';
import { UsageError } from '../../errors.ts';

/** The origin of a service's base address, as a person types it: https, or http on this machine. */
export function serviceOrigin(address: string): string {
  const origin = originOf(address.trim());
  if (origin !== undefined && (origin.startsWith('https:') || isLoopback(origin))) return origin;
  throw new UsageError(
    // It may hold a password.
    'that is no base address of a service',
    'give it as https://host; plain http is for an emulator on this machine',
  );
}
