import { UsageError } from '../../errors.ts';
import { CredentialError } from '../errors.ts';
import type { Context, Runtime } from '../runtime.ts';
import { note } from '../ui.ts';

/** The value of a variable; undefined if it is empty. Throws `UsageError` for quotes around it. */
export function variable({ env }: Pick<Runtime, 'env'>, name: string): string | undefined {
  const value = env[name] || undefined;
  if (value === undefined || !QUOTED.test(value)) return value;
  throw new UsageError(`the value of ${name} has quotes around it`, UNQUOTE);
}

/** A token or key as it was given, without white space around it; throws `CredentialError`. */
export function trimmedSecret(secret: string, what: string): string {
  const trimmed = secret.trim();
  const mistake = mistakeIn(trimmed);
  if (mistake === undefined) return trimmed;
  throw new CredentialError(`${what} ${mistake.fault}`, mistake.hint);
}

/** What makes a text no token or key; undefined if it can be one. */
export function mistakeIn(secret: string): { fault: string; hint: string } | undefined {
  const [, fault, hint] = MISTAKES.find(([pattern]) => pattern.test(secret)) ?? [];
  return fault === undefined || hint === undefined ? undefined : { fault, hint };
}

const QUOTED = /^(["'`]).*\1$/s;
const UNQUOTE = 'leave the quotes out: only a shell removes them';

/** What is often wrong with a pasted secret. */
const MISTAKES: readonly [pattern: RegExp, fault: string, hint: string][] = [
  [/^$/, 'is empty', 'give it as the dashboard or the launch shows it'],
  [QUOTED, 'has quotes around it', UNQUOTE],
  [/^bearer\s/i, 'begins with "Bearer "', 'give what follows that word'],
  [/\s/, 'has spaces or line breaks in it', 'copy it again, on one line'],
  [
    /[^\x21-\x7e]/,
    'contains characters that are not allowed in an HTTP header',
    'copy it again: it has ASCII letters, digits and signs',
  ],
];

/** Notes what takes precedence over a choice that was just saved. */
export async function notePrecedence(
  context: Context,
  variables: readonly string[],
  setting?: 'launch' | 'ledger',
): Promise<void> {
  const { env, project } = context;
  for (const name of variables.filter((each) => env[each])) {
    await note(context, `${name} is set and takes precedence: unset ${name} to use the saved one`);
  }
  if (project === undefined || setting === undefined || !project.settings[setting]) return;
  await note(context, `${project.file} names another ${setting}, which takes precedence here`);
}
