import { FILE_SIZE, fileUrl } from '../../contract/index.ts';
import { rowAndRest } from '../arguments/rows.ts';
import { InvalidError, UsageError } from '../../errors.ts';
import { usageText } from '../output/files.ts';
import type { Context, Runtime } from '../runtime.ts';
import type { Disk, PathInfo, TemporaryFile } from '../../ports.ts';
import { noteWarnings, note } from '../output/notes.ts';
import { dryRun } from '../output/dry-run.ts';
import type { Result } from '../output/result.ts';
import { type RowTarget, rowTarget } from '../session/resolve-call.ts';
import { fileSetOf, runJob } from './job.ts';
import { uploadFiles } from '../../transfer/upload.ts';
import {
  type PlannedUpload,
  fitUploads,
  planUploads,
  refuseUploads,
  uploadFindings,
} from '../../transfer/upload-plan.ts';
import type { FilesUploadOptions } from './flags.ts';
import { missingFile } from '../input/folder.ts';
import { spool } from '../input/read.ts';
import type { LocalFile } from '../../transfer/local-file.ts';

export async function runUpload(
  context: Context<FilesUploadOptions>,
  named: string | undefined,
  more: readonly string[],
): Promise<Result> {
  const { options } = context;
  const [row, ...rest] = rowAndRest(options, [named, ...more]);
  const paths = rest.filter((path) => path !== undefined);
  if (paths.length === 0)
    throw new UsageError('which files?', 'name files, globs, or - for standard input');
  checkFlags(options);
  const kept: TemporaryFile[] = [];
  try {
    const followLinks = options.followSymlinks === true;
    const files = await localFiles(context, paths, followLinks, kept);
    if (files.length > 1) refuseForMany(options);
    else if (options.key === undefined && files[0]?.name === '-') {
      throw new UsageError('standard input has no name', 'give it a key: --key KEY');
    }
    const planned = await planUploads(files, options);
    const empty = files.find(({ name, facts }) => name === '-' && facts.size === 0);
    // The first command of the pipe may have failed.
    if (empty) await note(context, 'warning: standard input is empty: the file will have 0 bytes');
    const transport = files.length > 1 ? { connections: options.concurrency } : undefined;
    const target = await rowTarget(context, 'files', row, transport);
    return await upload(context, target, planned);
  } finally {
    for (const file of kept) await file.discard();
  }
}

function checkFlags({ key, prefix }: FilesUploadOptions): void {
  if (key !== undefined && prefix !== undefined) {
    throw new UsageError('--key and --prefix cannot be used together');
  }
}

function refuseForMany({ key, filename }: FilesUploadOptions): void {
  const flag = key !== undefined ? '--key' : filename !== undefined ? '--filename' : undefined;
  if (flag === undefined) return;
  throw new UsageError(
    `${flag} is for one file, and there are several`,
    'use --prefix, or upload them one by one',
  );
}

async function upload(
  context: Context<FilesUploadOptions>,
  target: RowTarget,
  planned: readonly PlannedUpload[],
): Promise<Result> {
  const { options } = context;
  const { client, url, kind, label } = target;
  const { items } = await client.listFiles(url);
  const { phases, after } = fitUploads(planned, kind, items);
  refuseUploads(phases.flat());
  await noteWarnings(context, uploadFindings(phases.flat()));
  if (options.dryRun) {
    const requests = phases.flat().map(({ key, body, file, mimetype, findings }) => ({
      method: 'PUT',
      url: fileUrl(url, key),
      body: JSON.stringify(body),
      findings,
      facts: { path: file.name, mimetype },
    }));
    return dryRun(requests);
  }
  await note(context, `${label} will hold ${usageText(kind, after)}`);
  const fileSet = await fileSetOf(context, target);
  const { concurrency } = options;
  return runJob<PlannedUpload, void>(context, {
    items: phases.flat(),
    key: ({ key }) => key,
    size: ({ body }) => body.size,
    path: ({ file }) => file.name,
    done: () => 'uploaded',
    run: (events) => uploadFiles(fileSet, phases, { concurrency, ...events }),
  });
}

/**
 * Finds the files that paths and globs name, each once. Anything but a plain file is a usage error,
 * and so is a link unless links are followed. Standard input is spooled to disk, since its size
 * must be declared first; what has to be discarded afterwards is added to `kept`.
 */
async function localFiles(
  runtime: Runtime,
  paths: readonly string[],
  followLinks: boolean,
  kept: TemporaryFile[],
): Promise<LocalFile[]> {
  const disk = await runtime.disk();
  const files = new Map<string, LocalFile>();
  for (const path of paths) {
    if (path === '-') {
      if (!files.has(path)) files.set(path, await spooled(runtime, disk, kept));
      continue;
    }
    const isPlain = (await disk.pathInfo(path, { followLinks })) !== undefined;
    const matches = isPlain ? [path] : await disk.glob(path);
    if (matches.length === 0) throw missingFile(path);
    for (const match of matches) {
      const facts = await disk.pathInfo(match, { followLinks });
      if (facts === undefined) throw missingFile(match);
      files.set(match, plainFile(match, facts));
    }
  }
  return [...files.values()];
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
async function spooled(runtime: Runtime, disk: Disk, kept: TemporaryFile[]): Promise<LocalFile> {
  const file = await spool(disk, standardInput(runtime));
  kept.push(file);
  return { name: '-', path: file.path, facts: await file.pathInfo() };
}

async function* standardInput(runtime: Runtime): AsyncGenerator<Uint8Array> {
  const { label, bytes } = FILE_SIZE;
  let size = 0;
  for await (const chunk of runtime.stdin.stream()) {
    size += chunk.length;
    if (size > bytes) {
      throw new InvalidError(`standard input exceeds the file size limit of ${label}`, {
        code: 'file.too_large',
        hint: `the limit is ${bytes} bytes`,
      });
    }
    yield chunk;
  }
}
