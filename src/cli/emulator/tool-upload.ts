import { HOSTED_TOOL_ZIPPED, isRefusedOnUpload, servedFolder } from '../../contract/index.ts';
import type { Answers } from '../../emulator/index.ts';
import { InvalidError, UsageError } from '../../errors.ts';
import type { Finding } from '../../validator/finding.ts';
import { isHidden, toolFilesBelow } from '../input/tool-folder.ts';
import { escapeText } from '../output/escape.ts';
import { bytesText } from '../output/units.ts';
import type { Context, GlobalOptions } from '../runtime.ts';
import { pause } from '../shared/pause.ts';
import { note, printJson } from '../ui.ts';
import { checkToolFolder, checkToolZip } from '../validate/check-tool.ts';
import { control } from './control.ts';
import { packFolder } from './pack-folder.ts';

export interface ToolUploadOptions extends GlobalOptions {
  readonly tool?: string;
  readonly visibility?: 'private' | 'unlisted' | 'public';
  readonly versionOnly?: boolean;
  readonly watch?: boolean;
}

export async function runToolUpload(
  context: Context<ToolUploadOptions>,
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
    ? await readFolder(context, path)
    : await readZipFile(context, path, facts.size);
  await upload(context, path, read);
}

/** The code of a tool as it was read from disk. */
interface ReadTool {
  readonly zip: Uint8Array;
  readonly findings: readonly Finding[];
  /** What a person should know who uploads it. */
  readonly warnings: readonly string[];
}

/** Uploads what meets the contract; what does not is refused with every finding. */
async function upload(
  context: Context<ToolUploadOptions>,
  path: string,
  { zip, findings, warnings }: ReadTool,
): Promise<void> {
  const refused = findings.filter(isRefused);
  if (refused.length > 0) {
    throw new InvalidError(`${path} is refused`, { findings: refused.map(asError) });
  }
  for (const { message } of findings) await note(context, `warning: ${message}`);
  for (const warning of warnings) await note(context, `warning: ${warning}`);
  const query = new URLSearchParams();
  const { tool, visibility, versionOnly } = context.options;
  if (tool !== undefined) query.set('tool', tool);
  if (visibility !== undefined) query.set('visibility', visibility);
  if (versionOnly) query.set('version_only', 'true');
  await tell(context, await control(context, 'POST tool/upload', zip, query));
}

function isRefused(finding: Finding): boolean {
  return finding.severity === 'error' || isRefusedOnUpload(finding);
}

/** What the service only may refuse is an error of an upload to the emulator. */
function asError(finding: Finding): Finding {
  return { ...finding, severity: 'error' };
}

/** Of what is refused anyway. */
const NO_ZIP = new Uint8Array();

async function readFolder(context: Context, folder: string): Promise<ReadTool> {
  const disk = await context.disk();
  const leftOut: string[] = [];
  const options = { leaveOut: (name: string) => void leftOut.push(name) };
  const { findings, paths } = await checkToolFolder(disk, folder, options);
  const zip = findings.some(isRefused) ? NO_ZIP : await packFolder(disk, folder);
  const names = leftOut.length === 0 ? [] : [`left out, as names with a dot: ${listed(leftOut)}`];
  // Packed, its size is known.
  const known = findings.filter(({ code }) => code !== 'hosted_tool.zip_size_unknown');
  return { zip, findings: known, warnings: [...names, ...withoutIndex(paths)] };
}

async function readZipFile(context: Context, path: string, size: number): Promise<ReadTool> {
  const disk = await context.disk();
  const { findings, paths } = await checkToolZip(disk, path, size, path);
  const zip = findings.some(isRefused)
    ? NO_ZIP
    : await disk.readFile(path, HOSTED_TOOL_ZIPPED.bytes);
  const hidden = paths.filter((each) => each.split('/').some(isHidden));
  const names =
    hidden.length === 0 ? [] : [`whoever opens the tool can read ${listed(hidden)} in the zip`];
  return { zip, findings, warnings: [...names, ...withoutIndex(paths)] };
}

/** Which page a tool begins with is not shown, so that it is no finding. */
function withoutIndex(paths: readonly string[]): string[] {
  if (paths.includes(`${servedFolder(paths)}index.html`)) return [];
  return ['there is no index.html, which is the page that the frame shows (our reading)'];
}

const MAX_LISTED = 5;

function listed(names: readonly string[]): string {
  const more = names.length - MAX_LISTED;
  const shown = names.slice(0, MAX_LISTED).map(escapeText).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

async function tell(
  context: Context<ToolUploadOptions>,
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
async function watch(context: Context<ToolUploadOptions>, folder: string): Promise<void> {
  await note(context, `watching ${folder}; Ctrl-C ends`);
  let uploaded: string | undefined;
  let before = await fingerprint(context, folder);
  for (;;) {
    const now = await fingerprint(context, folder);
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
  context: Context<ToolUploadOptions>,
  folder: string,
  { expected, isFirst }: { expected: string; isFirst: boolean },
): Promise<boolean> {
  const isChanged = async (): Promise<boolean> => (await fingerprint(context, folder)) !== expected;
  let read: ReadTool;
  try {
    read = await readFolder(context, folder);
  } catch (error) {
    // A file that is gone again cannot be read.
    if (await isChanged()) return false;
    throw error;
  }
  if (await isChanged()) return false;
  try {
    await upload(context, folder, isFirst ? read : { ...read, warnings: [] });
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    // What is refused now may be right after the next change.
    await note(context, `refused: ${error.findings[0]?.message ?? error.message}`);
  }
  return true;
}

/** Changes with each file of the folder; '' where there is none. */
async function fingerprint(context: Context, folder: string): Promise<string> {
  const files: string[] = [];
  const disk = await context.disk();
  const options = { leaveOut: () => {} };
  for await (const { name, facts } of toolFilesBelow(disk, folder, options)) {
    files.push(`${name} ${facts.size} ${facts.modified} ${facts.inode}`);
  }
  return files.join('\n');
}
