import { dirname, resolve } from 'node:path';
import { type Code, readJson, type Violation, violation } from '../../contract/index.ts';
import { locateAll } from '../../json/index.ts';
import type { ShapeFault } from '../../schema/check.ts';
import { type Finding, toFinding, toFindings } from '../../validator/finding.ts';
import { closest } from '../../contract/nearest.ts';
import type { Seed } from '../../emulator/index.ts';
import { InvalidError } from '../../errors.ts';
import { readInput } from './read.ts';
import type { CommandDisk, Runtime } from '../runtime.ts';

/** A JSON document of lectern's own that a user writes: a seed, a project file. */
export interface DocumentKind {
  readonly code: Extract<Code, 'seed.invalid' | 'project.invalid'>;
  /** Lists all faults of a document. */
  readonly check: (value: unknown) => readonly ShapeFault[];
}

/** The value of a document and all its faults; undefined if it is not JSON. */
export function readDocument(
  bytes: Uint8Array,
  { code, check }: DocumentKind,
): { value: unknown; findings: readonly Finding[] } {
  const read = readJson(bytes);
  if ('violation' in read) {
    const finding = toFinding(read.violation);
    const message = finding.message.replace(/^malformed body: /, '');
    return { value: undefined, findings: [{ ...finding, message }] };
  }
  const value: unknown = JSON.parse(read.text);
  const twice = read.duplicates.map((path): ShapeFault => {
    return { path, message: 'duplicate name in an object', hint: 'keep one of them' };
  });
  const start = locateAll(read.text, ['']).get('');
  const faults = [...twice, ...check(value)].map((fault) => {
    const { path, message } = fault;
    const params = { fault: message, hint: hintOf(fault), ...(path === '' && start) };
    return violation(code, path, params);
  });
  return { value, findings: toFindings(faults, read.text) };
}

function hintOf({ hint, unknown }: ShapeFault): string {
  const near = unknown && closest(unknown.name, unknown.known);
  return near === undefined ? hint : `did you mean ${near}? ${hint}`;
}

/** The name of the seed that comes with lectern. */
export const EXAMPLE = 'example';

export async function seedKind(): Promise<DocumentKind> {
  const { checkSeed } = await import('../../emulator/index.ts');
  return { code: 'seed.invalid', check: checkSeed };
}

/** The seed in a file, with absolute paths of its files, and all its faults. */
export async function checkedSeed(
  runtime: Runtime,
  source: string,
  bytes: Uint8Array,
): Promise<{ seed: Seed; findings: readonly Finding[] }> {
  const { value, findings } = readDocument(bytes, await seedKind());
  const seed = value as Seed;
  if (findings.length > 0) return { seed, findings };
  const faults = await resolveFiles(await runtime.disk(), dirname(source), seed);
  return { seed, findings: toFindings(faults, Buffer.from(bytes).toString()) };
}

/** Whether a name, which leads to `path`, is that of the built-in seed: a file named so goes first. */
export async function isExample(runtime: Runtime, name: string, path = name): Promise<boolean> {
  if (name !== EXAMPLE) return false;
  const there = await (await runtime.disk()).pathInfo(path, { followLinks: true });
  return there === undefined || there.kind === 'folder';
}

/** The seed in a file, or the built-in one. Reports all faults. */
export async function readSeed(runtime: Runtime, name: string): Promise<Seed> {
  const { EXAMPLE_SEED } = await import('../../emulator/index.ts');
  if (await isExample(runtime, name)) return EXAMPLE_SEED;
  const { source, bytes } = await readInput(runtime, name, 'the seed');
  const { seed, findings } = await checkedSeed(runtime, name, bytes);
  if (findings.length === 0) return seed;
  throw new InvalidError(`${source} is not a valid seed`, { findings });
}

/**
 * Makes the paths of a seed's files absolute; returns those that are missing or differ, or are outside
 * the folder of the seed, which may be a stranger's, when links are followed.
 */
async function resolveFiles(disk: CommandDisk, folder: string, seed: Seed): Promise<Violation[]> {
  const faults: Violation[] = [];
  const within = disk.absolute(folder);
  for (const [index, { files = [] }] of (seed.rows ?? []).entries()) {
    for (const [at, file] of files.entries()) {
      if (file.path === undefined) continue;
      const path = resolve(within, file.path);
      const isOutside = !(await disk.isInside(within, path));
      const size = isOutside ? undefined : (await disk.pathInfo(path, { followLinks: true }))?.size;
      Object.assign(file, { path });
      if (size === file.size) continue;
      const missing = isOutside ? 'is outside the folder of the seed' : 'does not exist';
      const fault = `${path} ${size === undefined ? missing : `has ${size} bytes`}`;
      const hint = isOutside
        ? 'move the file into that folder, or leave path out: then it has zeros'
        : `give a file of ${file.size} bytes, or leave path out: then it has zeros`;
      const place = `/rows/${index}/files/${at}/path`;
      faults.push(violation('seed.invalid', place, { fault, hint }));
    }
  }
  return faults;
}
