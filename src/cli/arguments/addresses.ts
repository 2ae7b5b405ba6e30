import { InvalidArgumentError } from 'commander';
import { isIP } from 'node:net';
import { splitUrl } from '../../contract/url.ts';
import { isLoopback, originOf } from '../../contract/index.ts';
import { UsageError } from '../../errors.ts';

/** Reads an address to listen on. */
export function hostAddress(text: string): string {
  const address = addressOf(text);
  if (address !== undefined) return address;
  throw new InvalidArgumentError(
    'expected an IP address of this machine, 0.0.0.0 for all of them, or localhost.',
  );
}

/** Whether a text is an address to listen on. */
export function isHostAddress(text: string): boolean {
  return addressOf(text) !== undefined;
}

/** Any other name than `localhost` would have to be resolved. */
function addressOf(text: string): string | undefined {
  const given = text.trim().toLowerCase();
  if (given === 'localhost') return '127.0.0.1';
  const address = given.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) === 4) return address;
  const isSix = isIP(address) === 6 && URL.canParse(`http://[${address}]`);
  return isSix ? new URL(`http://[${address}]`).hostname.slice(1, -1) : undefined;
}

/** Reads an origin, such as `http://emulator:8080`. */
export function publicOrigin(text: string): string {
  const given = text.trim();
  const split = splitUrl(given);
  if ('fault' in split) throw new InvalidArgumentError(`expected ${AN_ORIGIN}: ${split.fault}.`);
  const isBare = /^\/?$/.test(split.path) && !/[?#]/.test(given);
  if (isBare) return split.origin;
  throw new InvalidArgumentError(`expected ${AN_ORIGIN}, without a path, query or fragment.`);
}

const AN_ORIGIN = 'an origin such as http://emulator:8080';

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
