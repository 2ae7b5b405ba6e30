import { isLoopback, originOf } from '../../contract/index.ts';
import { UsageError } from '../../errors.ts';

/** The origin of a service's base address, as a person types it: https, or http on this machine. */
export function serviceOrigin(address: string): string {
  const origin = originOf(address.trim());
  if (origin !== undefined && (origin.startsWith('https:') || isLoopback(origin))) return origin;
  throw new UsageError(
    // The address is not repeated: it may contain a password.
    'this is not the base URL of a service',
    'use https://host; http is accepted only for an emulator on this machine',
  );
}
