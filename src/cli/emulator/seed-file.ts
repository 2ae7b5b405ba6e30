import { bodyText, checkObjectText, type Violation } from '../../contract/index.ts';
import { locateAll } from '../../json/index.ts';
import type { Seed, SeedFault } from '../../emulator/index.ts';
import { toFinding } from '../../validator/finding.ts';
import { InvalidError, type ReportedFinding } from '../../errors.ts';
import { readInput } from '../input/read.ts';
import type { Runtime } from '../runtime.ts';

/** The name of the seed that comes with lectern. */
const EXAMPLE = 'example';

/** The seed of a file, or the one that comes with lectern. Lists everything that is wrong with it. */
export async function readSeed(runtime: Runtime, name: string): Promise<Seed> {
  const { checkSeed, EXAMPLE_SEED } = await import('../../emulator/index.ts');
  const disk = await runtime.disk();
  if (name === EXAMPLE && !(await disk.exists(name))) return EXAMPLE_SEED;
  const { source, bytes } = await readInput(runtime, name, 'the seed');
  const noSeed = (found: readonly ReportedFinding[]): InvalidError =>
    new InvalidError(`${source} is not a valid seed`, { findings: found });
  const read = bodyText(bytes);
  if ('violation' in read) throw noSeed([unreadable(read.violation)]);
  const { text } = read;
  const wrong = checkObjectText(text);
  // What is JSON, though no object, is told with the other faults of a seed.
  if (wrong?.code === 'body.syntax') throw noSeed([unreadable(wrong)]);
  const seed: unknown = JSON.parse(text);
  const faults = checkSeed(seed);
  if (faults.length > 0) throw noSeed(findingsOf(faults, text));
  return seed as Seed;
}

const SEED = { code: 'seed.invalid', severity: 'error', rule: 'seed of the emulator' } as const;

function unreadable(found: Violation): ReportedFinding {
  const finding = toFinding(found);
  return { ...finding, message: finding.message.replace(/^malformed body: /, ''), rule: SEED.rule };
}

function findingsOf(faults: readonly SeedFault[], text: string): ReportedFinding[] {
  const positions = locateAll(
    text,
    faults.map(({ path }) => path),
  );
  return faults.map((fault) => {
    const { line, column } = positions.get(fault.path) ?? { line: null, column: null };
    return { ...SEED, ...fault, line, column };
  });
}
