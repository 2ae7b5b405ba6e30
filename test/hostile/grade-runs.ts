import { bench } from '../cli/grade/bulk.ts';
import { binary, type BinaryOptions } from '../support/binary.ts';
import type { Handler } from '../support/service.ts';

/** A service with a home and a launch for it, and the built binary to run on them. */
export async function gradeRuns(handler?: Handler) {
  const work = await bench(handler);
  const run = (args: readonly string[], options: BinaryOptions = {}) =>
    binary(['-l', work.launch, ...args], { home: work.home, ...options });
  return { ...work, run };
}
