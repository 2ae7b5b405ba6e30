import { HOSTED_TOOL_WHOLE } from '../../contract/index.ts';
import { UsageError } from '../../errors.ts';
import { inputChunks, spool } from '../input/read.ts';
import type { Checked } from '../output/validate.ts';
import type { Result } from '../output/result.ts';
import type { Runtime, Called } from '../runtime.ts';
import { checkToolFolder, checkToolZip, hiddenNamesText } from './check-tool.ts';
import { note } from '../output/notes.ts';
import { checkInputs, STANDARD_INPUT } from './results.ts';
import type { VALIDATE_REPORT_FLAGS } from './flags.ts';

export async function runHostedTool(
  context: Called<typeof VALIDATE_REPORT_FLAGS>,
  named: readonly string[],
): Promise<Result> {
  const usage = { missing: 'no hosted tool given', pass: 'a folder or a zip' };
  return checkInputs(context, 'hosted-tool', named, usage, (path) => checkTool(context, path));
}

async function checkTool(
  context: Called<typeof VALIDATE_REPORT_FLAGS>,
  path: string,
): Promise<Checked> {
  if (path === STANDARD_INPUT) return checkPiped(context, path);
  const disk = await context.disk();
  const facts = await disk.pathInfo(path, { followLinks: true });
  if (facts === undefined) throw new UsageError(`no such file or folder: ${JSON.stringify(path)}`);
  if (facts.kind === 'folder') {
    const tool = await checkToolFolder(disk, path);
    const left = hiddenNamesText(tool);
    if (left !== undefined) await note(context, `${path}: ${left}`);
    return tool;
  }
  if (facts.kind !== 'file') return checkPiped(context, path);
  return checkToolZip(disk, path, facts.size, path);
}

/** The directory of a zip is at its end, so it has to be on disk. */
async function checkPiped(runtime: Runtime, source: string): Promise<Checked> {
  const disk = await runtime.disk();
  const file = await spool(disk, inputChunks(runtime, source, HOSTED_TOOL_WHOLE.bytes));
  try {
    const { size } = await file.pathInfo();
    return await checkToolZip(disk, file.path, size, source);
  } finally {
    await file.discard();
  }
}
