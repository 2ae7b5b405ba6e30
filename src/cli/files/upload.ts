import { fileUrl } from '../../contract/index.ts';
import { rowAndRest } from '../arguments/rows.ts';
import { UsageError } from '../../errors.ts';
import { usageText } from '../output/files.ts';
import type { Context } from '../runtime.ts';
import type { TemporaryFile } from '../../ports.ts';
import { noteWarnings } from '../shared/findings.ts';
import { rowTarget, type RowTarget } from '../session/row.ts';
import { note, type PlannedRequest, printDryRun } from '../ui.ts';
import { fileSetOf, runJob } from './job.ts';
import { localFiles } from './local-files.ts';
import { uploadFiles } from '../../transfer/upload.ts';
import {
  fitUploads,
  type PlannedUpload,
  planUploads,
  refuseUploads,
  uploadFindings,
} from '../../transfer/upload-plan.ts';
import type { FilesUploadOptions } from './flags.ts';

export async function runUpload(
  context: Context<FilesUploadOptions>,
  named: string | undefined,
  more: readonly string[],
): Promise<void> {
  const { options } = context;
  const [row, ...rest] = rowAndRest(options, [named, ...more]);
  const paths = rest.filter((path) => path !== undefined);
  if (paths.length === 0)
    throw new UsageError('which files?', 'name files, globs, or - for standard input');
  checkFlags(options);
  const kept: TemporaryFile[] = [];
  try {
    const files = await localFiles(context, paths, {
      followLinks: options.followSymlinks === true,
      keep: (file) => kept.push(file),
    });
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
    await upload(context, target, planned);
  } finally {
    for (const file of kept) await file.discard();
  }
}

function checkFlags({ key, prefix, mimetype }: FilesUploadOptions): void {
  if (key !== undefined && prefix !== undefined) {
    throw new UsageError('--key and --prefix exclude each other');
  }
  if (mimetype !== undefined && /\p{Cc}/u.test(mimetype)) {
    throw new UsageError('--mimetype holds a control character', 'a type is such as text/plain');
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
): Promise<void> {
  const { options } = context;
  const { client, url, kind, label } = target;
  const { items } = await client.listFiles(url);
  const { phases, after } = fitUploads(planned, kind, items);
  refuseUploads(phases.flat());
  await noteWarnings(context, uploadFindings(phases.flat()));
  if (options.dryRun) {
    const requests = phases.flat().map((each) => plannedRequest(url, each));
    await printDryRun(context, requests);
    return;
  }
  await note(context, `${label} will hold ${usageText(kind, after)}`);
  const fileSet = await fileSetOf(context, target);
  const { concurrency } = options;
  await runJob<PlannedUpload, void>(context, {
    items: phases.flat(),
    key: ({ key }) => key,
    size: ({ body }) => body.size,
    path: ({ file }) => file.name,
    done: () => 'uploaded',
    run: (events) => uploadFiles(fileSet, phases, { concurrency, ...events }),
  });
}

function plannedRequest(
  url: string,
  { key, body, file, mimetype, findings }: PlannedUpload,
): PlannedRequest {
  return {
    method: 'PUT',
    url: fileUrl(url, key),
    body: JSON.stringify(body),
    findings,
    facts: { path: file.name, mimetype },
  };
}
