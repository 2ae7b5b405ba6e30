import { type Choices, FREEDOMS } from '../freedom/vary.ts';
import * as s from '../../schema/schema.ts';
import type { EmulatorState } from '../state/state.ts';

const NAMES = Object.keys(FREEDOMS) as (keyof Choices)[];

export const VARY = s.described(
  s.nullable(s.object({ seed: s.count, choices: s.object(s.texts(...NAMES)) })),
  'what --vary has chosen of everything that the contract leaves open; null without it',
);

export function shownVary({ vary, choices }: EmulatorState) {
  return vary === undefined ? null : { seed: vary.seed, choices };
}
