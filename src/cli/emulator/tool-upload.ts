import type { Answers } from '../../emulator/index.ts';
import { InvalidError, UsageError } from '../../errors.ts';
import type { Finding } from '../../validator/finding.ts';
import { bytesText } from '../output/units.ts';
import type { Context } from '../runtime.ts';
import { pause } from '../shared/pause.ts';
import { note, printJson } from '../ui.ts';
import { control } from './control.ts';
import {
  fingerprint,
  FOLDER_CHANGED,
  isRefused,
  type ReadTool,
  readToolFolder,
  readToolZip,
} from './read-tool.ts';
import type { EmulatorToolUploadOptions } from './flags.ts';

export async function runToolUpload(
  context: Context<EmulatorToolUploadOptions>,
  path: string,
): Promise<void> {
  const facts = await (await context.disk()).pathInfo(path, { followLinks: true });
  if (facts?.kind !== 'file' && facts?.kind !== 'folder') {
    throw new UsageError(`there is no file or folder ${JSON.stringify(path)}`);
  }
  const isFolder = facts.kind === 'folder';
  if (context.options.watch) {
    if (!isFolder) throw new UsageError('--watch takes a folder', 'give the one you work in');
    await watch(context, path);
    return;
  }
  const read = isFolder
    ? await readToolFolder(await context.disk(), path)
    : await readToolZip(await context.disk(), path, facts.size);
  await upload(context, path, read);
}

/** Uploads what meets the contract; what does not is refused with every finding. */
async function upload(
  context: Context<EmulatorToolUploadOptions>,
  path: string,
  { zip, findings, warnings }: ReadTool,
): Promise<void> {
  const refused = findings.filter(isRefused);
  if (refused.length > 0) {
    throw new InvalidError(`${path} is refused`, { findings: refused.map(asError) });
  }
  for (const { message } of findings) await note(context, `warning: ${message}`);
  for (const warning of warnings) await note(context, `warning: ${warning}`);
  const { tool, visibility, versionOnly: version_only } = context.options;
  const asked = { tool, visibility, version_only };
  await tell(context, await control(context, 'POST tool/upload', asked, zip));
}

/** What the service only may refuse is an error of an upload to the emulator. */
function asError(finding: Finding): Finding {
  return { ...finding, severity: 'error' };
}

async function tell(
  context: Context<EmulatorToolUploadOptions>,
  done: Answers['POST tool/upload'],
): Promise<void> {
  if (context.options.json) await printJson(context, done);
  const { tool, code, ended } = done;
  const isCurrent = tool.current === code.version;
  const files = code.files === 1 ? '1 file' : `${code.files} files`;
  await note(
    context,
    `${tool.id}: version ${code.version} has ${files}, ${bytesText(code.bytes)}; ${
      isCurrent ? 'it is the current one' : `the current one is ${tool.current}`
    }; tokens ended: ${ended}`,
  );
  if (!isCurrent && !context.options.versionOnly) {
    await note(context, `approve it: lectern emulator tool approve ${code.version} ${tool.id}`);
  }
}

const LOOK_AGAIN_MS = 500;

/**
 * Uploads the folder now and whenever something in it has changed, until Ctrl-C. A folder that is away
 * or empty, as while a build writes it anew, is waited for.
 */
async function watch(context: Context<EmulatorToolUploadOptions>, folder: string): Promise<void> {
  await note(context, `watching ${folder}; Ctrl-C ends`);
  let uploaded: string | undefined;
  const disk = await context.disk();
  let before = await fingerprint(disk, folder);
  for (;;) {
    const now = await fingerprint(disk, folder);
    if (now === '' && before !== '') {
      await note(context, `${folder} is away or empty: waiting until it is back`);
    }
    // What is still being written is left alone until it has been the same twice.
    const isSettled = now !== '' && now === before;
    if (isSettled && now !== uploaded) {
      // Warnings are told once.
      const isFirst = uploaded === undefined;
      if (await uploadAsIs(context, folder, { expected: now, isFirst })) uploaded = now;
    }
    before = now;
    await pause(context, LOOK_AGAIN_MS);
  }
}

/** Uploads the folder, unless it has changed while it was read: then it returns false. */
async function uploadAsIs(
  context: Context<EmulatorToolUploadOptions>,
  folder: string,
  { expected, isFirst }: { expected: string; isFirst: boolean },
): Promise<boolean> {
  try {
    const read = await readToolFolder(await context.disk(), folder, expected);
    await upload(context, folder, isFirst ? read : { ...read, warnings: [] });
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    if (error.code === FOLDER_CHANGED) return false;
    // What is refused now may be right after the next change.
    await note(context, `refused: ${error.findings[0]?.message ?? error.message}`);
  }
  return true;
}
