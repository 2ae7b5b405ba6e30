import { hostAddress } from '../arguments/addresses.ts';
import { type Context, withOptions } from '../runtime.ts';
import type {
  EmulatorExecOptions,
  EmulatorStartOptions,
  EmulatorToolReportOptions,
} from './flags.ts';
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
