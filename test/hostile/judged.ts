import { expect } from 'vitest';
import type { RunResult } from '../support/lectern.ts';

/** Output that means that lectern itself failed: a bug, a stack, a value that should not be shown. */
const OWN_FAULT =
  /this is a bug|unexpected error|^\s+at .+:\d+|\b(Range|Type|Reference|Syntax)Error\b|\bundefined\b|\[object /m;

/** Exit codes of product.md, but for those that the case leaves out. */
const EXITS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 130];

/**
 * Whether a command ended as commands may, whatever it was given: by itself, with a code that there
 * is, and with a word of its own where that is not 0.
 */
export function judged(
  result: Pick<RunResult, 'exit' | 'stdout' | 'stderr'>,
  what: string,
  exits: readonly number[] = EXITS,
): void {
  const { exit, stdout, stderr } = result;
  const context = `${what}\nexit ${exit}\n${stderr.slice(0, 2_000)}`;
  expect(exits, context).toContain(exit);
  expect(stderr, context).not.toMatch(OWN_FAULT);
  if (exit !== 0) expect(stderr + stdout, context).not.toBe('');
}
