import { HOSTED_TOOL_ZIPPED } from '../../contract/index.ts';
import type { Answers } from '../../emulator/index.ts';
import { InvalidError, UsageError } from '../../errors.ts';
import type { Finding } from '../../validator/finding.ts';
import { toolFilesBelow } from '../input/tool-folder.ts';
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

/** A hosted tool on disk, looked at. */
interface Looked {
  readonly path: string;
  readonly isFolder: boolean;
}

export async function runToolUpload(
  context: Context<ToolUploadOptions>,
  path: string,
): Promise<void> {
  const facts = await (await context.disk()).pathInfo(path, { followLinks: true });
  if (facts?.kind !== 'file' && facts?.kind !== 'folder') {
    throw new UsageError(`there is no file or folder ${JSON.stringify(path)}`);
  }
  const looked = { path, isFolder: facts.kind === 'folder' };
  if (!context.options.watch) {
    await upload(context, looked);
    return;
  }
  if (!looked.isFolder) throw new UsageError('--watch takes a folder', 'give the one you work in');
  await watch(context, looked);
}

/** Checks the code by the contract and uploads it; what is refused is told with every finding. */
async function upload(context: Context<ToolUploadOptions>, looked: Looked): Promise<void> {
  const { zip, findings } = looked.isFolder
    ? await readFolder(context, looked.path)
    : await readZipFile(context, looked.path);
  const refused = findings.filter(isRefused);
  if (refused.length > 0) {
    throw new InvalidError(`${looked.path} is refused`, { findings: refused });
  }
  for (const { message } of findings) await note(context, `warning: ${message}`);
  const query = new URLSearchParams();
  const { tool, visibility, versionOnly } = context.options;
  if (tool !== undefined) query.set('tool', tool);
  if (visibility !== undefined) query.set('visibility', visibility);
  if (versionOnly) query.set('version_only', 'true');
  await tell(context, await control(context, 'POST tool/upload', zip, query));
}

/** Links are no files; the contract does not tell of them, and the emulator takes none. */
function isRefused({ severity, code }: Finding): boolean {
  return severity === 'error' || code === 'hosted_tool.link';
}

interface ReadTool {
  readonly zip: Uint8Array;
  readonly findings: readonly Finding[];
}

/** Of what is refused anyway. */
const NO_ZIP = new Uint8Array();

async function readFolder(context: Context, folder: string): Promise<ReadTool> {
  const disk = await context.disk();
  const { findings } = await checkToolFolder(disk, folder);
  if (findings.some(isRefused)) return { zip: NO_ZIP, findings };
  const zip = await packFolder(disk, folder);
  // Packed, its size is known.
  const known = findings.filter(({ code }) => code !== 'hosted_tool.zip_size_unknown');
  return { zip, findings: known };
}

async function readZipFile(context: Context, path: string): Promise<ReadTool> {
  const disk = await context.disk();
  const { findings } = await checkToolZip(disk, path, await sizeOf(context, path), path);
  if (findings.some(isRefused)) return { zip: NO_ZIP, findings };
  return { zip: await disk.readFile(path, HOSTED_TOOL_ZIPPED.bytes), findings };
}

async function sizeOf(context: Context, path: string): Promise<number> {
  const facts = await (await context.disk()).pathInfo(path, { followLinks: true });
  return facts?.size ?? 0;
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

/** Uploads the folder now and whenever something in it has changed, until Ctrl-C. */
async function watch(context: Context<ToolUploadOptions>, looked: Looked): Promise<void> {
  await note(context, `watching ${looked.path}; Ctrl-C ends`);
  let uploaded = '';
  let before = '';
  for (;;) {
    const now = await fingerprint(context, looked.path);
    // What is still being written is left alone until it has been the same twice.
    if (now !== uploaded && (now === before || uploaded === '')) {
      uploaded = now;
      await uploadOrTell(context, looked);
    }
    before = now;
    await pause(context, LOOK_AGAIN_MS);
  }
}

/** What is refused now may be right after the next change. */
async function uploadOrTell(context: Context<ToolUploadOptions>, looked: Looked): Promise<void> {
  try {
    await upload(context, looked);
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    await note(context, `refused: ${error.findings[0]?.message ?? error.message}`);
  }
}

async function fingerprint(context: Context, folder: string): Promise<string> {
  const files: string[] = [];
  for await (const { name, facts } of toolFilesBelow(await context.disk(), folder)) {
    files.push(`${name} ${facts.size} ${facts.modified} ${facts.inode}`);
  }
  return files.join('\n');
}
