import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import {
  checkManifest,
  checkToolFiles,
  explainViolation,
  filesAtRoot,
  HOSTED_TOOL_ZIPPED,
  isCertain,
  isObject,
  isRefusedOnUpload,
  RESERVED_ROOT_FILE,
  servedFolder,
  type ToolFile,
  violation,
  type Violation,
} from '../../../contract/index.ts';
import { ZipError } from '../../../zip.ts';
import { notFound, wrongBody } from '../../http/fields.ts';
import { HttpError } from '../../http/messages.ts';
import { removeBlob } from '../../state/files.ts';
import type { ToolCode } from '../../state/records.ts';
import type { Seed } from '../../state/seed/seed.ts';
import type { EmulatorState } from '../../state/state.ts';
import { publish } from '../../state/versions.ts';
import type { Tool, ToolVersion } from '../../state/world.ts';
import { type Archive, openArchive } from '../../store/archives.ts';
import { storeBlob } from '../../store/blobs.ts';

/** Parameters of an upload; the tool defaults to the first hosted one. */
export interface UploadRequest {
  readonly tool?: string | undefined;
  readonly visibility: ToolVersion['visibility'];
  /** Does not make the version the current one. */
  readonly versionOnly: boolean;
}

/** An uploaded version; `before` and `tool` are the tool without and with it. */
export interface Uploaded {
  readonly before: Tool;
  readonly tool: Tool;
  readonly code: ToolCode;
}

/**
 * Stores the code of a hosted tool as a new version. A refused upload changes nothing: the bytes are
 * stored and the version is made only after all checks.
 */
export async function uploadCode(
  state: EmulatorState,
  request: UploadRequest,
  zip: Buffer,
): Promise<Uploaded> {
  const { id } = hostedTool(state, request.tool);
  const stored = await storedCode(state, zip);
  // The tool may have changed in the meantime.
  const before = state.world.tools.get(id);
  if (before === undefined) {
    removeBlob(state, stored.blob);
    throw notFound('tool', id);
  }
  const published = publish(before, request.visibility);
  const version = published.versions.at(-1)?.number ?? 0;
  const code: ToolCode = { ...stored, tool: id, version };
  const tool = request.versionOnly ? { ...published, current: before.current } : published;
  state.world.tools.set(id, tool);
  state.hosted.codes.set(codeId(id, version), code);
  return { before, tool, code };
}

function hostedTool({ world }: EmulatorState, id: string | undefined): Tool {
  const tools = [...world.tools.values()];
  const tool = id === undefined ? tools.find(({ hosted }) => hosted) : world.tools.get(id);
  if (tool === undefined) throw notFound(id === undefined ? 'hosted tool' : 'tool', id ?? '');
  if (tool.hosted) return tool;
  throw wrongBody(`tool ${tool.id} is external: it runs on its own server`);
}

/** Checks the zip of a tool, and stores its bytes. */
async function storedCode(
  state: EmulatorState,
  zip: Buffer,
): Promise<Omit<ToolCode, 'tool' | 'version'>> {
  const files = await checkedFiles(zip);
  return {
    blob: await storeBlob(state.blobs, state.newId(), (writer) => writer.write(zip)),
    sha256: createHash('sha256').update(zip).digest('hex'),
    zipSize: zip.length,
    size: files.reduce((sum, { size }) => sum + size, 0),
    files: files.length,
    uploaded: state.clock.now(),
  };
}

/**
 * Opens the zip of a hosted tool and refuses it by the rules of the contract ("Limits: hosted tool
 * upload"; changes of 2026-10-05 and 2026-10-11). Every file is inflated once, so that a damaged one,
 * or one that is larger than its directory entry says, is found before anything is stored.
 */
async function checkedFiles(zip: Buffer): Promise<readonly ToolFile[]> {
  // A zip that is too large is not opened.
  if (zip.length > HOSTED_TOOL_ZIPPED.bytes) refuseFound(checkToolFiles([], zip.length));
  try {
    const { files } = await openArchive(zip);
    if (files.length === 0) refuseFound([violation('hosted_tool.empty', '', {})]);
    refuseFound(checkToolFiles(files, zip.length));
    // The root of the tool is the folder that it is served from, which may be one inside the zip.
    const reserved = servedFolder(files.map(({ path }) => path)) + RESERVED_ROOT_FILE;
    if (files.some(({ path }) => path === reserved)) {
      refuseFound([violation('hosted_tool.reserved_file', '', { file: reserved })]);
    }
    const atRoot = new Set<object>(filesAtRoot(files));
    for (const file of files) {
      const bytes = await file.read();
      const isManifest = /(?:^|\/)manifest\.json$/i.test(file.path) && atRoot.has(file);
      if (isManifest) refuseFound(checkManifestBytes(bytes));
    }
    return files;
  } catch (error) {
    if (!(error instanceof ZipError)) throw error;
    const { message: reason } = error;
    refuseFound([violation('hosted_tool.zip_unreadable', '', { reason })]);
    throw error;
  }
}

/**
 * The contract says nothing about a manifest that is not a JSON object. One with a byte order mark
 * or broken UTF-8 is accepted, as less strict readers do.
 */
function checkManifestBytes(bytes: Uint8Array): Violation[] {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    // Only its keys matter.
    return isObject(value)
      ? checkManifest(new Map(Object.keys(value).map((key) => [key, null])))
      : [];
  } catch {
    return [];
  }
}

/** Refuses with the first certain violation, else with the first that no upload may have. */
export function refuseFound(found: readonly Violation[]): void {
  const refused = found.find(isCertain) ?? found.find(isRefusedOnUpload);
  if (refused) throw new HttpError(422, refused.code, explainViolation(refused).message);
}

function codeId(tool: string, version: number): string {
  return `${tool}/${version}`;
}

/** The files of a version of a tool; undefined if none were uploaded. */
export async function openCode(
  { hosted }: EmulatorState,
  tool: string,
  version: number,
): Promise<Archive | undefined> {
  const code = hosted.codes.get(codeId(tool, version));
  return code && hosted.archives.open(code.blob);
}

/** The hosted tool of docs/examples, loaded on first use. */
const EXAMPLE = {
  'index.html': () => import('../../../../docs/examples/hosted-tool/index.html?raw'),
  'tool.css': () => import('../../../../docs/examples/hosted-tool/tool.css?raw'),
  'tool.js': () => import('../../../../docs/examples/hosted-tool/tool.js?raw'),
};

/** A fixed time, so that the same files give the same zip. */
const TIME = new Date(Date.UTC(2000, 0, 1));

export async function storeSeedCode(state: EmulatorState, seed: Seed): Promise<void> {
  for (const { id, code } of seed.tools) {
    const version = state.world.tools.get(id)?.current;
    if (code === undefined || version === undefined) continue;
    const stored = await storedCode(state, await exampleZip());
    state.hosted.codes.set(codeId(id, version), { ...stored, tool: id, version });
  }
}

async function exampleZip(): Promise<Buffer> {
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  for (const [name, load] of Object.entries(EXAMPLE)) {
    zip.addBuffer(Buffer.from((await load()).default), name, { mtime: TIME });
  }
  zip.end();
  return buffer(zip.outputStream);
}
