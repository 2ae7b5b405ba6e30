import { createHmac, randomBytes } from 'node:crypto';

const ID_BYTES = 9;
const SECRET_BYTES = 32;
const POOL_BYTES = 4096;

/** Returns `bytes` random bytes. */
export type Random = (bytes: number) => Uint8Array;

/** Random bytes of the system, fetched in pools: small requests are slow. */
export function machineRandom(): Random {
  let pool = new Uint8Array();
  let used = 0;
  return (bytes) => {
    if (pool.length - used < bytes) {
      pool = randomBytes(POOL_BYTES);
      used = 0;
    }
    used += bytes;
    return pool.subarray(used - bytes, used);
  };
}

/** A unique ID of letters and digits. */
export function makeId(random: Random): string {
  return Buffer.from(random(ID_BYTES)).toString('hex');
}

/** A text that cannot be guessed. */
export function makeSecret(random: Random): string {
  return Buffer.from(random(SECRET_BYTES)).toString('base64url');
}

/** Signs a text with a key. */
export function sign(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}
