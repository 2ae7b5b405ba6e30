import { createHash } from 'node:crypto';
import { notFound, wrongBody } from '../../http/fields.ts';
import { removeBlob } from '../../state/files.ts';
import type { EmulatorState } from '../../state/state.ts';
import type { ToolCode } from '../../state/records.ts';
import { publish } from '../../state/versions.ts';
import type { Tool, ToolVersion } from '../../state/world.ts';
import { openUpload } from './check-upload.ts';
import type { Archive } from '../../store/archive.ts';

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

/** Stores the code of an existing version. */
export async function keepCode(
  state: EmulatorState,
  { tool, version }: Pick<ToolCode, 'tool' | 'version'>,
  zip: Buffer,
): Promise<void> {
  const code = await storedCode(state, zip);
  state.hosted.codes.set(codeId(tool, version), { ...code, tool, version });
}

/** Checks the zip of a tool, and stores its bytes. */
async function storedCode(
  state: EmulatorState,
  zip: Buffer,
): Promise<Omit<ToolCode, 'tool' | 'version'>> {
  const { files } = await openUpload(zip);
  return {
    blob: await storeZip(state, zip),
    sha256: createHash('sha256').update(zip).digest('hex'),
    zipSize: zip.length,
    size: files.reduce((sum, { size }) => sum + size, 0),
    files: files.length,
    uploaded: state.clock.now(),
  };
}

function hostedTool({ world }: EmulatorState, id: string | undefined): Tool {
  const tools = [...world.tools.values()];
  const tool = id === undefined ? tools.find(({ hosted }) => hosted) : world.tools.get(id);
  if (tool === undefined) throw notFound(id === undefined ? 'hosted tool' : 'tool', id ?? '');
  if (tool.hosted) return tool;
  throw wrongBody(`tool ${tool.id} is external: it runs on its own server`);
}

async function storeZip(state: EmulatorState, zip: Buffer): Promise<string> {
  const blob = state.newId();
  const writer = await state.blobs.create(blob);
  try {
    await writer.write(zip);
    await writer.finish();
    return blob;
  } catch (error) {
    await writer.abandon();
    throw error;
  }
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
