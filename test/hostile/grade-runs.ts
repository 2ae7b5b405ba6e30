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

/** Standard error without what a run that takes long says of its progress every 10 seconds. */
export function withoutProgress(stderr: string): string {
  return stderr.replace(/^[\d,]+\/[\d,]+, \d.*\n/gm, '');
}
