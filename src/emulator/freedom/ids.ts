import { freedom, named } from './freedom.ts';

/* IDs and tokens, made of random bytes. */

export type Random = (bytes: number) => Uint8Array;

const text = (random: Random, bytes: number, encoding: BufferEncoding): string =>
  Buffer.from(random(bytes)).toString(encoding);

export const ID_FREEDOMS = {
  /** Of characters that need no escape in an address. */
  ids: freedom<(random: Random) => string>({
    about: 'the length and alphabet of the IDs of launches, attempts and uploads',
    contract: 'Grade attempt: "id | string | attempt ID"; no form is given.',
    values: named({
      hex: (random) => text(random, 9, 'hex'),
      uuid: (random) =>
        text(random, 16, 'hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
      digits: (random) => BigInt(`0x1${text(random, 8, 'hex')}`).toString(),
      marks: (random) => `A~${text(random, 21, 'base64url')}.z`,
    }),
  }),
  /** After the prefix of their kind, which is not varied: tokens are redacted by it. */
  tokens: freedom<(random: Random) => string>({
    about: 'the length and alphabet of tokens and API keys',
    contract: 'Launch claims: "`api.token` | bearer token of the launch".',
    values: named({
      base64url: (random) => text(random, 32, 'base64url'),
      hex: (random) => text(random, 32, 'hex'),
      parts: (random) => [9, 192, 33].map((bytes) => text(random, bytes, 'base64url')).join('.'),
      marks: (random) => `${text(random, 33, 'base64url')}~${text(random, 3, 'hex')}`,
    }),
  }),
};
