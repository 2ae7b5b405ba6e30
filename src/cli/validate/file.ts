import { basename, join } from 'node:path';
import { validateDeclaration, validateFiles } from '../../validator/file.ts';
import { UTF16_FAULT } from '../../contract/index.ts';
import { InvalidError, UsageError } from '../../errors.ts';
import { isUtf16 } from '../../json/index.ts';
import { readInput } from '../input/read.ts';
import { missingFile } from '../input/folder.ts';
import { hasInvalidUtf8 } from '../../transfer/local-file.ts';
import { refuseSharedKeys } from '../../transfer/upload-plan.ts';
import type { Checked } from '../output/validate.ts';
import type { Result } from '../output/result.ts';
import type { Called } from '../runtime.ts';
import type { Disk } from '../../ports.ts';
import { reportResults, STANDARD_INPUT } from './results.ts';
import type { VALIDATE_FILE_FLAGS } from './flags.ts';

export async function runFile(
  context: Called<typeof VALIDATE_FILE_FLAGS>,
  named: readonly string[],
): Promise<Result> {
  const isDeclared = named.length === 0 || named.includes(STANDARD_INPUT);
  if (isDeclared && named.length > 1) {
    throw new UsageError('a declaration on standard input cannot be combined with files');
  }
  if (isDeclared && context.options.with === STANDARD_INPUT) {
    throw new UsageError('the declaration and the listing cannot both come from standard input');
  }
  const results = isDeclared
    ? [await checkDeclaration(context, named[0])]
    : await checkFiles(context, named);
  return reportResults(context, 'file', results);
}

async function checkDeclaration(
  context: Called<typeof VALIDATE_FILE_FLAGS>,
  named: string | undefined,
): Promise<Checked> {
  const { kind, key } = context.options;
  const listing = await readListing(context);
  const { bytes } = await readInput(context, named, 'the file');
  return { source: STANDARD_INPUT, findings: validateDeclaration(bytes, { kind, key, listing }) };
}

async function checkFiles(
  context: Called<typeof VALIDATE_FILE_FLAGS>,
  named: readonly string[],
): Promise<Checked[]> {
  const { kind, key } = context.options;
  const listing = await readListing(context);
  const files = await filesAt(await context.disk(), named);
  if (key !== undefined && files.length > 1) {
    throw new UsageError('--key takes a single file', 'omit --key to check several files');
  }
  const keyed = files.map(({ path, size }) => ({ key: key ?? basename(path), name: path, size }));
  refuseSharedKeys(keyed);
  const findings = validateFiles(keyed, { kind, listing });
  return files.map(({ path }, index) => ({ source: path, findings: findings[index] ?? [] }));
}

async function readListing(
  context: Called<typeof VALIDATE_FILE_FLAGS>,
): Promise<string | undefined> {
  const { with: file } = context.options;
  if (file === undefined) return undefined;
  const { source, bytes } = await readInput(context, file, 'the listing');
  if (!isUtf16(bytes)) return new TextDecoder().decode(bytes);
  const code = 'file.listing_unreadable';
  throw new InvalidError(`${source}: ${UTF16_FAULT}`, { code, hint: 'save it as UTF-8' });
}

interface FoundFile {
  readonly path: string;
  readonly size: number;
}

/** The files in the arguments, and in the folders among them: keys do not contain folders. */
async function filesAt(disk: Disk, named: readonly string[]): Promise<FoundFile[]> {
  const files: FoundFile[] = [];
  for (const path of new Set(named)) {
    const facts = await disk.pathInfo(path, { followLinks: true });
    if (facts === undefined) throw missingFile(path);
    if (facts.kind === 'other') throw new UsageError(`${path} is not a regular file`);
    if (facts.kind === 'file') files.push({ path, size: facts.size });
    else for (const each of await filesIn(disk, path)) files.push(each);
  }
  return files;
}

async function filesIn(disk: Disk, folder: string): Promise<FoundFile[]> {
  const files: FoundFile[] = [];
  for (const name of (await disk.listFolder(folder)).sort()) {
    const path = join(folder, name);
    const facts = await disk.pathInfo(path, { followLinks: true });
    if (facts === undefined && hasInvalidUtf8(name)) throw missingFile(path);
    if (facts?.kind === 'file' && !name.startsWith('.')) files.push({ path, size: facts.size });
  }
  if (files.length === 0) throw new UsageError(`${folder} contains no files`);
  return files;
}
