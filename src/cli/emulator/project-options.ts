import { createHash } from 'node:crypto';
import { InvalidError } from '../../errors.ts';
import type { Served } from '../../emulator/index.ts';
import { hostAddress } from '../arguments/addresses.ts';
import { type Context, withOptions } from '../runtime.ts';
import { note } from '../ui.ts';
import type {
  EmulatorExecOptions,
  EmulatorStartOptions,
  EmulatorToolReportOptions,
} from './flags.ts';
import { isRefused, readToolFolder } from './read-tool.ts';
import { EXAMPLE } from '../input/seed.ts';

/** The options of `emulator start`, with defaults from the project file. */
export async function startOptions(
  context: Context<EmulatorStartOptions>,
): Promise<Context<EmulatorStartOptions>> {
  const { project, options } = context;
  if (project === undefined) return context;
  const { port, host, data } = project.settings.emulator ?? {};
  return withOptions(context, {
    ...(port !== undefined && { port }),
    ...(host !== undefined && { host: hostAddress(host) }),
    ...(data !== undefined && !options.memory && { data: project.at(data) }),
    ...(await worldOptions(context)),
    ...options,
  });
}

/** The options of `emulator exec`, with defaults from the project file. */
export async function execOptions(
  context: Context<EmulatorExecOptions>,
): Promise<Context<EmulatorExecOptions>> {
  const { options } = context;
  const failOn = options.report === undefined ? {} : failOnOf(context);
  return withOptions(context, { ...(await worldOptions(context)), ...failOn, ...options });
}

/** The options of `emulator report`, with the severity from the project file as default. */
export function reportOptions(
  context: Context<EmulatorToolReportOptions>,
): Context<EmulatorToolReportOptions> {
  return withOptions(context, { ...failOnOf(context), ...context.options });
}

function failOnOf({ project }: Context): EmulatorToolReportOptions {
  const failOn = project?.settings.report?.fail_on;
  return failOn === undefined ? {} : { failOn };
}

/**
 * The seed and the chaos of the project; a file named `example` takes precedence over the built-in
 * seed.
 */
async function worldOptions({
  project,
  disk,
}: Context): Promise<Pick<EmulatorStartOptions, 'seed' | 'chaos' | 'chaosShare'>> {
  const { seed, chaos } = project?.settings.emulator ?? {};
  if (project === undefined) return {};
  const path = seed === undefined ? undefined : project.at(seed);
  const isBuiltIn = seed === EXAMPLE && !(await (await disk()).exists(project.at(seed)));
  const { seed: word, share } = typeof chaos === 'string' ? { seed: chaos } : (chaos ?? {});
  return {
    ...(path !== undefined && { seed: isBuiltIn ? EXAMPLE : path }),
    ...(word !== undefined && { chaos: word }),
    ...(share !== undefined && { chaosShare: share }),
  };
}

/** Uploads the folders of the project's hosted tools, unless their code is already current. */
export async function uploadProjectTools(
  context: Context,
  { control }: Pick<Served, 'control'>,
): Promise<void> {
  const { project } = context;
  const tools = Object.entries(project?.settings.emulator?.tools ?? {});
  if (project === undefined || tools.length === 0) return;
  const { tools: known, codes } = await control('GET state');
  for (const [tool, folder] of tools) {
    const path = project.at(folder);
    const { zip, findings, warnings } = await readToolFolder(await context.disk(), path);
    const refused = findings.filter(isRefused);
    if (refused.length > 0) {
      throw new InvalidError(`${path}, the code of ${tool}, is refused`, { findings: refused });
    }
    for (const { message } of findings) await note(context, `warning: ${message}`);
    for (const warning of warnings) await note(context, `warning: ${warning}`);
    const current = known.find(({ id }) => id === tool)?.current;
    const code = codes.find((each) => each.tool === tool && each.version === current);
    if (code?.sha256 === createHash('sha256').update(zip).digest('hex')) continue;
    await control('POST tool/upload', { tool }, zip);
  }
}
