import { UsageError } from '../../errors.ts';
import { oneOfWords } from '../../contract/nearest.ts';
import { ExitError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { Called, Context } from '../runtime.ts';
import type { Result } from '../output/result.ts';
import { control } from './control.ts';
import type { ENV_FLAGS } from './flags.ts';
import { NotRunningError } from './find.ts';
import { writeLaunchFile } from './record.ts';

/** The roles that a launch can be minted for. */
const ROLES = ['student', 'assistant', 'instructor', 'manager'];

/** Prints the variables with which other programs find the emulator, for a shell or a file. */
export async function runEnv(context: Called<typeof ENV_FLAGS>): Promise<Result> {
  const { launch: role } = context.options;
  const format = formatOf(context.options);
  if (role !== undefined && !ROLES.includes(role)) {
    throw new UsageError('--launch takes a role here', oneOfWords(ROLES));
  }
  const url = await publicUrl(context);
  const variables: { LECTERN_EMULATOR: string; LECTERN_LAUNCH?: string } = {
    LECTERN_EMULATOR: url,
  };
  if (role !== undefined) {
    const { claims } = await control(context, 'POST launch', { role, keyed: true });
    variables.LECTERN_LAUNCH = await writeLaunchFile(context, { url, role }, claims);
  }
  const json = format === 'json';
  const show = json ? { json: variables } : { raw: environmentText(variables, format) };
  return { json: variables, show };
}

function formatOf({
  format,
  json,
}: Called<typeof ENV_FLAGS>['options']): EnvironmentFormat | 'json' {
  if (json && format !== undefined && format !== 'json') {
    throw new UsageError(
      `--json and --format ${format} cannot be used together`,
      'use one of them',
    );
  }
  return format ?? 'sh';
}

async function publicUrl(context: Context): Promise<string> {
  try {
    return (await control(context, 'GET summary')).base_url;
  } catch (error) {
    if (!(error instanceof NotRunningError)) throw error;
    const { message, hint } = error;
    throw new ExitError(EXIT.unreachable, 'emulator.not_running', message, { hint });
  }
}

type EnvironmentFormat = keyof typeof LINES;

type Line = (name: string, value: string) => string;

const LINES = {
  sh: (name, value) => `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'`,
  // PowerShell treats typographic quotes as quotes.
  pwsh: (name, value) => `$env:${name} = '${value.replace(/['‘’‚‛]/g, '$&$&')}'`,
  dotenv: (name, value) => `${name}=${dotenvValue(value)}`,
} satisfies Record<string, Line>;

/** Environment variables as lines for a shell or a dotenv file. */
function environmentText(
  variables: Readonly<Record<string, string>>,
  format: EnvironmentFormat,
): string {
  const lines = Object.entries(variables).map(([name, value]) => LINES[format](name, value));
  return `${lines.join('\n')}\n`;
}

/**
 * Readers of dotenv files differ in escapes, so none are used: bare if possible, else in quotes
 * that do not occur in the value.
 */
function dotenvValue(value: string): string {
  if (/^[\w./:@%+,=[\]-]*$/.test(value)) return value;
  const quote = ["'", '"', '`'].find((each) => !value.includes(each)) ?? "'";
  return `${quote}${value}${quote}`;
}
