import { FREEDOMS, type AskedVary } from '../../emulator/index.ts';
import { nearest } from '../../contract/nearest.ts';
import { UsageError } from '../../errors.ts';
import { wholeNumber } from '../arguments/numbers.ts';
import type { EmulatorVaryOptions } from './flags.ts';

const NAMES = Object.keys(FREEDOMS);

/** Reads `--vary [SEED[,NAME…]]`; without a seed, the emulator takes one. */
export function varyOf({ vary }: EmulatorVaryOptions): { vary?: AskedVary } {
  if (vary === undefined) return {};
  const [seed, ...only] = vary === true ? [] : vary.split(',');
  return {
    vary: {
      ...(seed !== undefined && { seed: seedOf(seed) }),
      ...(only.length > 0 && { only: only.map(nameOf) }),
    },
  };
}

const FORM = 'SEED is a whole number, as in --vary 7 or --vary 7,urls,envelope';

function seedOf(text: string): number {
  try {
    return wholeNumber({ from: 0 })(text);
  } catch {
    throw new UsageError(`--vary ${JSON.stringify(text)}: this is not a whole number`, FORM);
  }
}

function nameOf(name: string): string {
  if (NAMES.includes(name)) return name;
  throw new UsageError(
    `--vary: ${JSON.stringify(name)} is nothing that varies`,
    `${nearest(name, NAMES)} lectern explain vary lists the names`,
  );
}
