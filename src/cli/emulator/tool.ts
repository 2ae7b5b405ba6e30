import type { Taken } from '../../emulator/index.ts';
import type { Context } from '../runtime.ts';
import { note, printJson } from '../ui.ts';
import { control } from './control.ts';
import type { EmulatorPublishOptions, EmulatorAdoptOptions } from './flags.ts';

export async function runTool(context: Context, change: Taken['POST tool']): Promise<void> {
  const done = await control(context, 'POST tool', change);
  if (context.options.json) await printJson(context, done);
  const { id, status } = done.tool;
  await note(context, `tool ${id} is ${status}; tokens ended: ${done.ended}`);
}

export async function runPublish(
  context: Context<EmulatorPublishOptions>,
  tool: string | undefined,
): Promise<void> {
  const { visibility, versionNumber: version } = context.options;
  await runTool(context, { action: 'publish', tool, visibility, version });
}

export async function runAdopt(
  context: Context<EmulatorAdoptOptions>,
  code: string,
): Promise<void> {
  const { course, tool } = context.options;
  const done = await control(context, 'POST adopt', { course, tool, code });
  if (context.options.json) await printJson(context, done);
  await note(
    context,
    `${course} runs version ${done.version} of ${tool}; tokens ended: ${done.ended}`,
  );
}
