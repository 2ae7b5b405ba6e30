import { basename } from 'node:path';
import {
  filesAtRoot,
  HOSTED_TOOL_WHOLE,
  HOSTED_TOOL_ZIPPED,
  type ToolFile,
} from '../../contract/index.ts';
import type { Finding } from '../../validator/finding.ts';
import {
  type HostedTool,
  validateHostedTool,
  validateManifest,
  validatePossibleManifest,
} from '../../validator/hosted-tool.ts';
import { escapeText } from '../../contract/escape.ts';
import { InvalidError } from '../../errors.ts';
import { entriesBelow } from '../input/folder.ts';
import type { Checked } from '../output/validate.ts';
import type { CommandDisk } from '../runtime.ts';

/** A tool: its files, and the text of each JSON file that may be its manifest. */
interface ReadTool extends HostedTool {
  readonly texts: ReadonlyMap<string, string>;
}

export interface CheckedTool extends Checked {
  readonly paths: readonly string[];
  /** Hidden names in the folder, which are no part of the tool. */
  readonly leftOut: readonly string[];
}

export async function checkToolFolder(disk: CommandDisk, folder: string): Promise<CheckedTool> {
  const files: ToolFile[] = [];
  const leftOut: string[] = [];
  const texts = new Map<string, string>();
  for await (const { name, path, facts, isLink } of entriesBelow(disk, folder, leftOut)) {
    files.push({ path: name, size: facts.size, isLink });
    if (!isLink && mayBeManifest(name, facts.size, texts)) {
      texts.set(name, decode(await disk.readFile(path, HOSTED_TOOL_WHOLE.bytes)));
    }
  }
  return { ...checkTool(folder, { files, texts }), leftOut };
}

/**
 * Checks the hosted tool in the zip at `path`, of `zipSize` bytes; `source` is its name in the
 * results.
 */
export async function checkToolZip(
  disk: CommandDisk,
  path: string,
  zipSize: number,
  source: string,
): Promise<CheckedTool> {
  const files: ToolFile[] = [];
  const texts = new Map<string, string>();
  let fault: string | undefined;
  try {
    for await (const { file, bytes } of disk.zip(path)) {
      files.push(file);
      if (bytes !== undefined && mayBeManifest(file.path, file.size, texts)) {
        texts.set(file.path, decode(bytes));
      }
      // It is refused whatever else it contains, which may be very much.
      if (zipSize > HOSTED_TOOL_ZIPPED.bytes && files.length === MAX_LISTED) break;
    }
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    fault = error.message;
  }
  return checkTool(source, { files, zipSize, fault, texts });
}

const MAX_LISTED = 10_000;
/** The root may contain other JSON files, and a zip may have many. */
const MAX_TEXTS = 20;
const LARGEST_TEXT_BYTES = 2 << 20;

/** The root may be the single folder that contains everything, which is known only at the end. */
function mayBeManifest(name: string, size: number, texts: ReadonlyMap<string, string>): boolean {
  const isNearRoot = name.split('/').length <= 2 && name.toLowerCase().endsWith('.json');
  const [most, largest] = isManifest(name)
    ? [2 * MAX_TEXTS, HOSTED_TOOL_WHOLE.bytes]
    : [MAX_TEXTS, LARGEST_TEXT_BYTES];
  return isNearRoot && size <= largest && texts.size < most;
}

/** The contract does not give the manifest's name; this one is the obvious one. */
function isManifest(name: string): boolean {
  return basename(name).toLowerCase() === 'manifest.json';
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** The warning about names that were left out. */
export function hiddenNamesText({ leftOut }: Pick<CheckedTool, 'leftOut'>): string | undefined {
  if (leftOut.length === 0) return undefined;
  return `left out, because their names begin with a dot: ${listed(leftOut)}`;
}

const MAX_NAMES = 5;

/** The first of some names. */
export function listed(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  const shown = names.slice(0, MAX_NAMES).map(escapeText).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

function checkTool(source: string, { texts, ...tool }: ReadTool): CheckedTool {
  const findings: Finding[] = validateHostedTool(tool);
  const files = new Map(findings.flatMap((each) => (each.path === '' ? [] : [[each, each.path]])));
  for (const file of filesAtRoot(tool.files)) {
    const ofFile = checkText(file.path, texts.get(file.path));
    for (const finding of ofFile) {
      files.set(finding, file.path);
      findings.push(finding);
    }
  }
  return { source, findings, files, paths: tool.files.map(({ path }) => path), leftOut: [] };
}

function checkText(path: string, text: string | undefined): Finding[] {
  if (text === undefined) return [];
  return isManifest(path) ? validateManifest(text) : validatePossibleManifest(path, text);
}
