import { expect, test } from 'vitest';
import { storageCause } from '../../src/client/errors.ts';

test.each([
  [403, 'AccessDenied: Request has expired', 'expired'],
  [403, 'AccessDenied: Invalid according to Policy: Policy expired.', 'expired'],
  [400, 'ExpiredToken: The provided token has expired.', 'expired'],
  [403, 'AuthenticationFailed: Signature not valid in the specified time frame', 'expired'],
  [400, 'EntityTooLarge: Your proposed upload exceeds the maximum allowed size', 'too_large'],
  [413, '', 'too_large'],
  [
    400,
    'EntityTooSmall: Your proposed upload is smaller than the minimum allowed size',
    'wrong_size',
  ],
  [403, 'AccessDenied: Invalid according to Policy: content-length-range', 'wrong_size'],
  [400, 'the size of the file does not match the declared one', 'wrong_size'],
  [403, 'SignatureDoesNotMatch', 'refused'],
  [400, '', 'refused'],
] as const)('the storage response %i %j is read as %s', (status, text, cause) => {
  expect(storageCause(status, text)).toBe(cause);
});
