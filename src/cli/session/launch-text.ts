import { claimsFromText, launchOrigin, readLaunch } from '../../contract/index.ts';
import { InvalidError } from '../errors.ts';
import type { UsedLaunch } from './launch.ts';

/** Reads a launch out of a text, or refuses it with the reason. */
export function fromText(source: string, text: string): Omit<UsedLaunch, 'explicit'> {
  const read = claimsFromText(text);
  if ('fault' in read) {
    throw new InvalidError(`${source} is no launch: ${read.fault}`, {
      code: 'launch.unreadable',
      hint: 'give the claims as JSON, or a header.payload.signature token',
    });
  }
  const launch = readLaunch(read.claims);
  return { name: source, launch, origin: launchOrigin(launch) };
}
