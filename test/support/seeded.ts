import { createHash } from 'node:crypto';
import { expect } from 'vitest';

/**
 * What all random values of the tests depend on. It is the same in every run of `npm test`, so that
 * a failure repeats; `LECTERN_TEST_SEED` sets another one, and `LECTERN_TEST_ORDER` shuffles files and tests.
 */
const TEST_SEED = process.env.LECTERN_TEST_SEED ?? '20261122';

/** How many sources each test file has made; the files of one worker may run in any order. */
const made = new Map<string, number>();

/** Returns a source of bytes of its own for each call: the n-th of a test file is the same in every run. */
export function seededBytes(): (bytes: number) => Uint8Array {
  const { testPath = '' } = expect.getState();
  const file = testPath.slice(testPath.lastIndexOf('/test/'));
  const number = (made.get(file) ?? 0) + 1;
  made.set(file, number);
  let block = 0;
  let left = Buffer.alloc(0);
  return (bytes) => {
    while (left.length < bytes) {
      const next = createHash('sha256').update(`${TEST_SEED} ${file} ${number} ${block++}`);
      left = Buffer.concat([left, next.digest()]);
    }
    const taken = left.subarray(0, bytes);
    left = left.subarray(bytes);
    return taken;
  };
}

/** Returns a function like `Math.random`, from `seededBytes`. */
export function seededRandom(): () => number {
  const bytes = seededBytes();
  return () => Buffer.from(bytes(6)).readUIntBE(0, 6) / 2 ** 48;
}
