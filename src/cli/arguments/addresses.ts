import { InvalidArgumentError } from 'commander';
import { isIP } from 'node:net';
import { splitUrl } from '../../contract/url.ts';

/** Reads an address to listen on. Names other than `localhost` would have to be looked up elsewhere. */
export function hostAddress(text: string): string {
  const given = text.trim().toLowerCase();
  if (given === 'localhost') return '127.0.0.1';
  const address = given.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) === 4) return address;
  // In its shortest form.
  if (isIP(address) === 6) return new URL(`http://[${address}]`).hostname.slice(1, -1);
  throw new InvalidArgumentError(
    'expected an IP address of this machine, 0.0.0.0 for all of them, or localhost.',
  );
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
