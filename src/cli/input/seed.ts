import type { Seed } from '../../emulator/index.ts';
import { InvalidError } from '../../errors.ts';
import { type DocumentKind, readDocument } from './document.ts';
import { readInput } from './read.ts';
import type { Runtime } from '../runtime.ts';

/** The name of the seed that comes with lectern. */
export const EXAMPLE = 'example';

export async function seedKind(): Promise<DocumentKind> {
  const { checkSeed } = await import('../../emulator/index.ts');
  return { code: 'seed.invalid', check: checkSeed };
}

/** The seed in a file, or the built-in one. Reports all faults. */
export async function readSeed(runtime: Runtime, name: string): Promise<Seed> {
  const { EXAMPLE_SEED } = await import('../../emulator/index.ts');
  const disk = await runtime.disk();
  if (name === EXAMPLE && !(await disk.exists(name))) return EXAMPLE_SEED;
  const { source, bytes } = await readInput(runtime, name, 'the seed');
  const { value, findings } = readDocument(bytes, await seedKind());
  if (findings.length > 0) throw new InvalidError(`${source} is not a valid seed`, { findings });
  return value as Seed;
}
