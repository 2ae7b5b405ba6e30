import {
  HOSTED_TOOL_ZIPPED,
  isRefusedOnUpload,
  servedFolder,
  HOSTED_TOOL_WHOLE,
} from '../../contract/index.ts';
import { InvalidError } from '../../errors.ts';
import type { Finding } from '../../validator/finding.ts';
import { isHidden, entriesBelow } from '../input/folder.ts';
import { note } from '../output/notes.ts';
import type { CommandDisk, Context } from '../runtime.ts';
import { checkToolFolder, checkToolZip, hiddenNamesText, listed } from '../validate/check-tool.ts';
import { buffer } from 'node:stream/consumers';

/** The code of a tool, read from disk. */
export interface ReadTool {
  readonly zip: Uint8Array;
  readonly findings: readonly Finding[];
  /** Warnings for the person who uploads it. */
  readonly warnings: readonly string[];
}

/**
 * The zip of a tool that meets the contract; its warnings are printed and returned. Throws `InvalidError`
 * with all findings of one that is refused, of which `what` names it.
 */
export async function acceptedZip(
  context: Context,
  what: string,
  { zip, findings, warnings }: ReadTool,
): Promise<{ readonly zip: Uint8Array; readonly warnings: readonly string[] }> {
  const refused = findings.filter(isRefused);
  if (refused.length > 0) {
    throw new InvalidError(`${what} is refused`, { findings: refused.map(asError) });
  }
  const all = [...findings.map(({ message }) => message), ...warnings];
  for (const warning of all) await note(context, `warning: ${warning}`);
  return { zip, warnings: all };
}

/** What the service may refuse is an error for an upload to the emulator. */
function asError(finding: Finding): Finding {
  return { ...finding, severity: 'error' };
}

function isRefused(finding: Finding): boolean {
  return finding.severity === 'error' || isRefusedOnUpload(finding);
}

/** Identifies the state of all files and links of the folder; '' if there is no folder. */
export async function fingerprint(disk: CommandDisk, folder: string): Promise<string> {
  const files: string[] = [];
  try {
    for await (const { name, facts, isLink } of entriesBelow(disk, folder)) {
      files.push(`${name} ${isLink} ${facts.size} ${facts.modified} ${facts.inode}`);
    }
  } catch (error) {
    // The folder may be replaced at this moment. If the error stays, reading reports it.
    files.push(String(error));
  }
  return files.join('\n');
}

/** For a tool that is refused anyway. */
const NO_ZIP = new Uint8Array();

/** Reads and checks the tool in a folder. */
export async function readToolFolder(disk: CommandDisk, folder: string): Promise<ReadTool> {
  const tool = await checkToolFolder(disk, folder);
  const { findings, paths } = tool;
  const zip = findings.some(isRefused) ? NO_ZIP : await packFolder(disk, folder);
  const names = hiddenNamesText(tool);
  // After packing, its size is known.
  const known = findings.filter(({ code }) => code !== 'hosted_tool.zip_size_unknown');
  return { zip, findings: known, warnings: [...(names ? [names] : []), ...withoutIndex(paths)] };
}

/** Reads and checks the tool in a zip of `size` bytes. */
export async function readToolZip(
  disk: CommandDisk,
  path: string,
  size: number,
): Promise<ReadTool> {
  const { findings, paths } = await checkToolZip(disk, path, size, path);
  const zip = findings.some(isRefused)
    ? NO_ZIP
    : await disk.readFile(path, HOSTED_TOOL_ZIPPED.bytes);
  const hidden = paths.filter((each) => each.split('/').some(isHidden));
  const names =
    hidden.length === 0 ? [] : [`anyone who opens the tool can read ${listed(hidden)} in the zip`];
  return { zip, findings, warnings: [...names, ...withoutIndex(paths)] };
}

/** The contract does not name a tool's start page, so its absence is not a finding. */
function withoutIndex(paths: readonly string[]): string[] {
  if (paths.includes(`${servedFolder(paths)}index.html`)) return [];
  return ['there is no index.html, the page that the frame shows (our reading)'];
}

/** A fixed time, so that the same files give the same zip. */
const TIME = new Date(Date.UTC(2000, 0, 1));

/**
 * Packs the folder of a hosted tool into a zip in memory, without links and names that begin with a
 * dot.
 */
async function packFolder(disk: CommandDisk, folder: string): Promise<Buffer> {
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  for await (const { name, path, isLink } of entriesBelow(disk, folder)) {
    if (isLink) continue;
    const bytes = await disk.readFile(path, HOSTED_TOOL_WHOLE.bytes);
    zip.addBuffer(Buffer.from(bytes), name, { mtime: TIME });
  }
  zip.end();
  return buffer(zip.outputStream);
}
