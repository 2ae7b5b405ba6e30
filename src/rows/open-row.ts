import type { Client } from '../client/index.ts';
import { type Claims, kindOf, readLaunch, type RowName } from '../contract/index.ts';
import { InvalidError } from '../errors.ts';
import type { WritableRow } from './write.ts';

/**
 * A row of a launch, to be read and written. Nothing is sent.
 *
 * @throws {InvalidError} `launch.claim_missing` where the launch has no such row
 * @example
 * const client = createClient(credentialOf(claims));
 * const row = openRow(client, claims, 'member');
 */
export function openRow(client: Client, claims: Claims, name: RowName): WritableRow {
  const url = readLaunch(claims).storage[name];
  if (url !== undefined) return { client, url, label: name, kind: kindOf(name) };
  throw new InvalidError(`the launch has no storage.${name}`, { code: 'launch.claim_missing' });
}
