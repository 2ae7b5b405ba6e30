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
  type ToolFile,
  type Violation,
} from '../../../contract/index.ts';
import { nativeOrUndefined } from '../../../json/index.ts';
import { unpackTool, ZipError } from '../../../zip.ts';
import { notFound, wrongBody } from '../../http/refusals.ts';
import { HttpError } from '../../http/messages.ts';
import type { ToolCode } from '../../state/records.ts';
import type { Seed } from '../../state/seed/seed.ts';
import type { EmulatorState } from '../../state/state.ts';
import { publish } from '../../state/versions.ts';
import type { Tool, ToolVersion } from '../../state/world.ts';
import type { Archive } from '../../store/archives.ts';

/** Parameters of an upload; the tool defaults to the first hosted one. */
export interface UploadRequest {
  readonly tool?: string | undefined;
  readonly visibility: ToolVersion['visibility'];
  /** Does not make the version the current one. */
  readonly versionOnly: boolean;
  /** A loop of edits: pages of the tool that are open launch again by themselves. */
  readonly isWatched: boolean;
  /** The version to replace in place, if it is the newest one. */
  readonly replaces?: number | undefined;
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
    state.blobs.remove(stored.blob);
    throw notFound('tool', id);
  }
  const newest = before.versions.at(-1)?.number;
  const replaced =
    request.replaces === newest ? state.hosted.codes.get(id, newest ?? 0) : undefined;
  const published = replaced ? before : publish(before, request.visibility);
  const version = published.versions.at(-1)?.number ?? 0;
  const code: ToolCode = { ...stored, tool: id, version };
  const tool = request.versionOnly ? { ...published, current: before.current } : published;
  state.world.tools.put(tool);
  state.hosted.codes.put(code);
  if (replaced) state.blobs.remove(replaced.blob);
  if (request.isWatched) state.hosted.watched.add(id);
  else state.hosted.watched.delete(id);
  return { before, tool, code };
}

function hostedTool({ world }: EmulatorState, id: string | undefined): Tool {
  const tool = id === undefined ? world.tools.first('hosted') : world.tools.get(id);
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
    blob: await state.blobs.store(state.newId(), (write) => write(zip)),
    sha256: createHash('sha256').update(zip).digest('hex'),
    zip_size: zip.length,
    size: files.reduce((sum, { size }) => sum + size, 0),
    files: files.length,
    uploaded: state.clock.now(),
  };
}

/**
 * Reads the zip of a hosted tool and refuses it by the rules of the contract ("Limits: hosted tool
 * upload"; changes of 2026-10-05 and 2026-10-11).
 */
async function checkedFiles(zip: Buffer): Promise<readonly ToolFile[]> {
  const zipSize = zip.length;
  // A zip that is too large is not opened.
  if (zipSize > HOSTED_TOOL_ZIPPED.bytes) refuseFound(checkToolFiles({ files: [], zipSize }));
  const { files, manifests, fault } = await readTool(zip);
  refuseFound(checkToolFiles({ files, zipSize, fault }));
  for (const file of filesAtRoot(files)) {
    const manifest = manifests.get(file);
    if (manifest !== undefined) refuseFound(checkManifestBytes(manifest));
  }
  return files;
}

interface ReadTool {
  readonly files: readonly ToolFile[];
  readonly manifests: ReadonlyMap<ToolFile, Buffer>;
  /** Why the zip could not be read completely. */
  readonly fault: string | undefined;
}

async function readTool(zip: Buffer): Promise<ReadTool> {
  const files: ToolFile[] = [];
  const manifests = new Map<ToolFile, Buffer>();
  try {
    for await (const { file, bytes } of unpackTool(zip)) {
      files.push(file);
      if (bytes && /(?:^|\/)manifest\.json$/i.test(file.path)) manifests.set(file, bytes);
    }
    return { files, manifests, fault: undefined };
  } catch (error) {
    if (!(error instanceof ZipError)) throw error;
    return { files, manifests, fault: error.message };
  }
}

/**
 * The contract says nothing about a manifest that is not a JSON object. One with a byte order mark
 * or broken UTF-8 is accepted, as less strict readers do.
 */
function checkManifestBytes(bytes: Uint8Array): Violation[] {
  const value = nativeOrUndefined(new TextDecoder().decode(bytes));
  // Only its keys matter.
  return isObject(value)
    ? checkManifest(new Map(Object.keys(value).map((key) => [key, null])))
    : [];
}

/** Refuses with the first certain violation, else with the first that no upload may have. */
export function refuseFound(found: readonly Violation[]): void {
  const refused = found.find(isCertain) ?? found.find(isRefusedOnUpload);
  if (refused) throw new HttpError(422, refused.code, explainViolation(refused).message);
}

/** The files of a version of a tool; undefined if none were uploaded. */
export async function openCode(
  { hosted }: EmulatorState,
  tool: string,
  version: number,
): Promise<Archive | undefined> {
  const code = hosted.codes.get(tool, version);
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

/** Stores the code of tools that a seed names, unless they have code. */
export async function storeSeedCode(state: EmulatorState, seed: Seed): Promise<void> {
  for (const { id, code } of seed.tools) {
    const version = state.world.tools.get(id)?.current;
    const hasCode = state.hosted.codes.first('tool = ?', [id]) !== undefined;
    if (code === undefined || version === undefined || hasCode) continue;
    const stored = await storedCode(state, await exampleZip());
    state.hosted.codes.put({ ...stored, tool: id, version });
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
