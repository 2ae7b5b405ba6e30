import { hostAddress } from '../arguments/addresses.ts';
import { isIP } from 'node:net';
import { isLoopback } from '../../contract/index.ts';
import { escapeToken } from '../../json/index.ts';
import { type Context, type Project, withOptions } from '../runtime.ts';
import type {
  EmulatorExecOptions,
  EmulatorStartOptions,
  EmulatorToolReportOptions,
  EmulatorChaosOptions,
} from './flags.ts';
import { EXAMPLE, isExample } from '../input/document.ts';
import type { ServeOptions, Served } from '../../emulator/index.ts';
import { InvalidError, LecternError, UsageError } from '../../errors.ts';
import { note } from '../output/notes.ts';
import { createHash } from 'node:crypto';
import { nearest } from '../../contract/nearest.ts';

/** The options of `emulator start`, with defaults from the project file. */
export async function startOptions(
  context: Context<EmulatorStartOptions>,
): Promise<Context<EmulatorStartOptions>> {
  const { project, options } = context;
  if (project === undefined) return context;
  const { port, data } = project.settings.emulator ?? {};
  const isNew = options.session === undefined;
  const isDataUsed = data !== undefined && options.data === undefined && !options.memory && isNew;
  return withOptions(context, {
    ...(port !== undefined && { port }),
    ...(options.host === undefined && hostOf(project)),
    ...(isDataUsed && { data: await project.pathOf('/emulator/data', data, '--data FOLDER') }),
    ...(isNew && (await worldOptions(context))),
    ...options,
  });
}

/** The host of the project, which other machines must not reach. */
function hostOf({ settings, refuse }: Project): Pick<EmulatorStartOptions, 'host'> {
  const { host } = settings.emulator ?? {};
  if (host === undefined) return {};
  const address = hostAddress(host);
  if (isLoopback(originOfHost(address))) return { host: address };
  const why = `other machines could reach the emulator at ${address}`;
  throw refuse('/emulator/host', why, `--host ${address}`);
}

function originOfHost(address: string): string {
  return isIP(address) === 6 ? `http://[${address}]` : `http://${address}`;
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
 * The seed, the chaos and what varies of the project; a file named `example` takes precedence over the built-in
 * seed.
 */
async function worldOptions(
  context: Context<Pick<EmulatorStartOptions, 'seed'>>,
): Promise<Pick<EmulatorStartOptions, 'seed' | 'vary' | 'chaos' | 'chaosShare'>> {
  const { project, options } = context;
  const { seed, chaos, vary } = project?.settings.emulator ?? {};
  if (project === undefined) return {};
  const isSeedUsed = seed !== undefined && options.seed === undefined;
  const path = isSeedUsed && (await project.pathOf('/emulator/seed', seed, '--seed FILE'));
  const isBuiltIn = path && (await isExample(context, seed, path));
  const { seed: word, share } = typeof chaos === 'string' ? { seed: chaos } : (chaos ?? {});
  return {
    ...(path && { seed: isBuiltIn ? EXAMPLE : path }),
    ...(vary !== undefined && { vary: String(vary) }),
    ...(word !== undefined && { chaos: word }),
    ...(share !== undefined && { chaosShare: share }),
  };
}

const DEFAULT_SHARE = 0.05;

export function chaosOf({ chaos: seed, chaosShare }: EmulatorChaosOptions): ServeOptions['chaos'] {
  if (seed !== undefined) return { seed, share: chaosShare ?? DEFAULT_SHARE };
  if (chaosShare === undefined) return undefined;
  throw new UsageError('--chaos-share belongs to --chaos', 'add --chaos with any word as the seed');
}

/**
 * Uploads the folders of the project's hosted tools, unless their code is already current. Prints
 * warnings and returns them.
 */
export async function uploadProjectTools(
  context: Context,
  { control }: Pick<Served, 'control'>,
): Promise<string[]> {
  const { project } = context;
  const tools = Object.entries(project?.settings.emulator?.tools ?? {});
  if (project === undefined || tools.length === 0) return [];
  const { acceptedZip, readToolFolder } = await import('./read-tool.ts');
  const { tools: known, codes } = await control('GET state');
  const hosted = known.filter((each) => each.hosted).map(({ id }) => id);
  const disk = await context.disk();
  const printed: string[] = [];
  for (const [tool, folder] of tools) {
    const onPurpose = `lectern emulator tool upload FOLDER --tool ${tool}`;
    const path = await project.pathOf(`/emulator/tools/${escapeToken(tool)}`, folder, onPurpose);
    if (!hosted.includes(tool)) {
      const message = `${project.file}: the emulator has no hosted tool ${tool}`;
      throw new InvalidError(message, { code: 'project.tool', hint: nearest(tool, hosted) });
    }
    if ((await disk.pathInfo(path, { followLinks: true }))?.kind !== 'folder') {
      const message = `${project.file}: there is no folder ${path}, the code of ${tool}`;
      throw new InvalidError(message, { code: 'project.tool' });
    }
    const what = `${path}, the code of ${tool},`;
    const { zip, warnings } = await acceptedZip(context, what, await readToolFolder(disk, path));
    for (const warning of warnings) printed.push(warning);
    const current = known.find(({ id }) => id === tool)?.current;
    const code = codes.find((each) => each.tool === tool && each.version === current);
    if (code?.sha256 === createHash('sha256').update(zip).digest('hex')) continue;
    await control('POST tool/upload', { tool }, zip);
  }
  return printed;
}

/** Uploads them after a reset, which took them away; a folder that cannot be used by now is a note. */
export async function restoreProjectTools(
  context: Context,
  served: Pick<Served, 'control'>,
): Promise<void> {
  try {
    await uploadProjectTools(context, served);
  } catch (error) {
    if (!(error instanceof LecternError)) throw error;
    await note(context, `after the reset: ${error.message}`);
  }
}
