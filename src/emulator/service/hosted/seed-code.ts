import { buffer } from 'node:stream/consumers';
import type { EmulatorState } from '../../state/state.ts';
import type { Seed } from '../../state/seed/seed.ts';
import { keepCode } from './upload.ts';

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
    const tool = state.world.tools.get(id);
    if (code === undefined || tool === undefined) continue;
    await keepCode(state, { tool: id, version: tool.current }, await exampleZip());
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
