import type { Answers } from '../../emulator/index.ts';
import { InvalidError, UsageError } from '../../errors.ts';
import { bytesText } from '../output/units.ts';
import type { Called } from '../runtime.ts';
import { pause } from '../ask.ts';
import { note } from '../output/notes.ts';
import { printResults } from '../output/print.ts';
import type { Result } from '../output/result.ts';
import { control } from './control.ts';
import {
  fingerprint,
  acceptedZip,
  type ReadTool,
  readToolFolder,
  readToolZip,
} from './read-tool.ts';
import type { TOOL_UPLOAD_FLAGS } from './flags.ts';

export async function runToolUpload(
  context: Called<typeof TOOL_UPLOAD_FLAGS>,
  path: string,
): Promise<void> {
  const facts = await (await context.disk()).pathInfo(path, { followLinks: true });
  if (facts?.kind !== 'file' && facts?.kind !== 'folder') {
    throw new UsageError(`there is no file or folder ${JSON.stringify(path)}`);
  }
  const isFolder = facts.kind === 'folder';
  if (context.options.watch) {
    if (!isFolder)
      throw new UsageError('--watch takes a folder', 'pass the folder that you work in');
    await watch(context, path);
    return;
  }
  const read = isFolder
    ? await readToolFolder(await context.disk(), path)
    : await readToolZip(await context.disk(), path, facts.size);
  await upload(context, path, read);
}

/**
 * Uploads a tool that meets the contract, and returns its version; otherwise refuses it with all
 * findings.
 */
async function upload(
  context: Called<typeof TOOL_UPLOAD_FLAGS>,
  path: string,
  read: ReadTool,
  replaces?: number,
): Promise<number> {
  const { zip } = await acceptedZip(context, path, read);
  const { tool, visibility, versionOnly: version_only, watch: isWatched } = context.options;
  const request = { tool, visibility, version_only, watch: isWatched, replaces };
  const raw = { type: 'application/zip', body: zip };
  const done = await control(context, 'POST tool/upload', request, raw);
  await printResults(context, resultOf(done, version_only));
  return done.code.version;
}

function resultOf(done: Answers['POST tool/upload'], isVersionOnly = false): Result {
  const { tool, code, ended } = done;
  const isCurrent = tool.current === code.version;
  const files = code.files === 1 ? '1 file' : `${code.files} files`;
  const current = isCurrent ? 'it is the current one' : `the current one is ${tool.current}`;
  const approve = `approve it: lectern emulator tool approve ${code.version} ${tool.id}`;
  const notes = [
    `${tool.id}: version ${code.version} has ${files}, ${bytesText(code.bytes)}; ${current}; tokens ended: ${ended}`,
    isCurrent || isVersionOnly ? undefined : approve,
  ];
  return { json: done, notes };
}

const LOOK_AGAIN_MS = 500;

/**
 * Uploads the folder now and after each change, until Ctrl-C: all of it is one version, which is
 * replaced in place. While the folder is missing or empty, as during a build, it waits.
 */
async function watch(context: Called<typeof TOOL_UPLOAD_FLAGS>, folder: string): Promise<void> {
  await note(context, `watching ${folder}; Ctrl-C ends`);
  let uploaded: string | undefined;
  let version: number | undefined;
  const disk = await context.disk();
  let before = await fingerprint(disk, folder);
  for (;;) {
    const now = await fingerprint(disk, folder);
    if (now === '' && before !== '') {
      await note(context, `${folder} is missing or empty: waiting until it is back`);
    }
    // Files that are still being written are left alone until two readings agree.
    if (now !== '' && now === before && now !== uploaded) {
      uploaded = now;
      version = await uploadAgain(context, folder, version);
    }
    before = now;
    await pause(context, LOOK_AGAIN_MS);
  }
}

/** Uploads the folder in place of a version; returns the version that it is now. */
async function uploadAgain(
  context: Called<typeof TOOL_UPLOAD_FLAGS>,
  folder: string,
  version: number | undefined,
): Promise<number | undefined> {
  try {
    const read = await readToolFolder(await context.disk(), folder);
    // Warnings are printed only the first time.
    const shown = version === undefined ? read : { ...read, warnings: [] };
    return await upload(context, folder, shown, version);
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    // The next change may fix it.
    await note(context, `refused: ${error.findings[0]?.message ?? error.message}`);
    return version;
  }
}
