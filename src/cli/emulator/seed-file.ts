import { checkObjectText } from '../../contract/index.ts';
import type { Seed } from '../../emulator/index.ts';
import { toFinding } from '../../validator/finding.ts';
import { InvalidError, UsageError } from '../errors.ts';
import type { Runtime } from '../runtime.ts';

/** Reads a seed; what is wrong in it the emulator says when it plants it. */
export async function readSeed(runtime: Runtime, path: string): Promise<Seed> {
  const disk = await runtime.disk();
  if (!(await disk.exists(path))) throw new UsageError(`there is no file ${path}`);
  const text = new TextDecoder().decode(await disk.readFile(path));
  const wrong = checkObjectText(text);
  if (wrong) throw new InvalidError(`${path} is no seed`, { findings: [toFinding(wrong)] });
  return JSON.parse(text) as Seed;
}
