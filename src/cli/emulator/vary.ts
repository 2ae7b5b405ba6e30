import { FREEDOMS, type AskedVary } from '../../emulator/index.ts';
import { nearest } from '../../contract/nearest.ts';
import { UsageError } from '../../errors.ts';
import { wholeNumber } from '../arguments/numbers.ts';
import type { EmulatorVaryOptions } from './flags.ts';

const NAMES = Object.keys(FREEDOMS);

/** Reads `--vary [SEED[,NAME…]]`; without a seed, the emulator takes one. */
export function varyOf({ vary }: EmulatorVaryOptions): AskedVary | undefined {
  if (vary === undefined) return undefined;
  const [seed, ...only] = vary === true ? [] : vary.split(',');
  return {
    ...(seed !== undefined && { seed: seedOf(seed) }),
    ...(only.length > 0 && { only: only.map(nameOf) }),
  };
}

/** By which number an emulator varies, so that it can be given again. */
export function variedNote(seed: number): string {
  return `what the contract leaves open is varied: --vary ${seed}`;
}

const RANGE = /^(\d+)\.\.(\d+)(?=,|$)/;
const MOST_SEEDS = 1000;

/** The seeds of `--vary FROM..TO[,NAME…]`, each as `--vary` takes it; undefined for one seed. */
export function seedsOf({ vary }: EmulatorVaryOptions): ReadonlyMap<number, string> | undefined {
  const [range = '', from, to] = RANGE.exec(vary === true ? '' : (vary ?? '')) ?? [];
  if (range === '') return undefined;
  const count = Number(to) - Number(from) + 1;
  if (!(count >= 1 && count <= MOST_SEEDS)) {
    throw new UsageError(`--vary ${range} has no seeds, or more than ${MOST_SEEDS}`, FORM);
  }
  const names = String(vary).slice(range.length);
  const seeds = Array.from({ length: count }, (_, index) => Number(from) + index);
  return new Map(seeds.map((seed) => [seed, `${seed}${names}`]));
}

const FORM =
  'SEED is a whole number, as in --vary 7 or --vary 7,urls,envelope; emulator exec takes a range too: --vary 1..10';

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
