import example from './example-seed.json' with { type: 'json' };
import type { Seed } from './seed.ts';

/** A course of 200 students with three placements, and one that was copied from it. */
export const EXAMPLE_SEED = example as Seed;
