import { FILE_SIZE } from '../../contract/index.ts';
import { UsageError } from '../../errors.ts';
import { InvalidError } from '../../errors.ts';
import { missingFile } from '../input/missing-file.ts';
import { spool } from '../input/spool.ts';
import type { CommandDisk, Runtime } from '../runtime.ts';
import type { LocalFile } from '../../transfer/local-file.ts';
import type { Disk, PathInfo, TemporaryFile } from '../../ports.ts';

/**
 * Finds the files that paths and globs name, each once. Anything but a plain file is a usage error,
 * and so is a link unless links are followed. Standard input is spooled to disk, since its size
 * must be declared first; `keep` gets what has to be discarded afterwards.
 */
export async function localFiles(
  runtime: Runtime,
  paths: readonly string[],
  options: { followLinks: boolean; keep: (file: TemporaryFile) => void },
): Promise<LocalFile[]> {
  const disk = await runtime.disk();
  const found = new Map<string, LocalFile>();
  for (const path of paths) {
    if (path === '-') {
      if (!found.has(path)) found.set(path, await spooled(runtime, disk, options.keep));
      continue;
    }
    for (const file of await expand(disk, path, options)) found.set(file.path, file);
  }
  return [...found.values()];
}

async function expand(
  disk: CommandDisk,
  path: string,
  options: { followLinks: boolean },
): Promise<LocalFile[]> {
  const facts = await disk.pathInfo(path, options);
  if (facts !== undefined) return [plainFile(path, facts)];
  const matches = await disk.glob(path);
  if (matches.length === 0) throw missingFile(path);
  const files: LocalFile[] = [];
  for (const match of matches) {
    const each = await disk.pathInfo(match, options);
    if (each === undefined) throw missingFile(match);
    files.push(plainFile(match, each));
  }
  return files;
}

const WAYS_OUT = {
  folder: 'use lectern files sync to upload a folder',
  link: 'use --follow-symlinks to upload its target',
  other: 'pipe it to: lectern files upload ROW - --key KEY',
} as const;

function plainFile(path: string, facts: PathInfo): LocalFile {
  const { kind } = facts;
  if (kind === 'file') return { name: path, path, facts };
  const what = { folder: 'a folder', link: 'a symbolic link', other: 'not a regular file' }[kind];
  throw new UsageError(`${path} is ${what}`, WAYS_OUT[kind]);
}

/** Standard input as a file; refused as soon as it exceeds the size of any file. */
async function spooled(
  runtime: Runtime,
  disk: Disk,
  keep: (file: TemporaryFile) => void,
): Promise<LocalFile> {
  const file = await spool(disk, standardInput(runtime));
  keep(file);
  return { name: '-', path: file.path, facts: await file.pathInfo() };
}

async function* standardInput(runtime: Runtime): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of runtime.stdin.stream()) {
    size += chunk.length;
    if (size > FILE_SIZE.bytes) throw tooLarge();
    yield chunk;
  }
}

function tooLarge(): InvalidError {
  const { label, bytes } = FILE_SIZE;
  return new InvalidError(`standard input exceeds the file size limit of ${label}`, {
    code: 'file.too_large',
    hint: `the limit is ${bytes} bytes`,
  });
}
