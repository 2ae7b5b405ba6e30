import { UsageError } from './errors.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Whether a text can be the name of something saved. */
export function isName(text: string): boolean {
  return NAME.test(text);
}

/** Checks a name that something is to be saved under. */
export function checkName(name: string): void {
  refuseSecret(name);
  if (isName(name)) return;
  throw new UsageError(
    `${JSON.stringify(name)} cannot be a name`,
    'a name has 1 to 64 letters, digits, ".", "_" or "-", and starts with a letter or digit',
  );
}

/** An argument is seen by every process of the machine and kept in the shell's history. */
export function refuseSecret(argument: string): void {
  const token = /^[\w-]{8,}\.[\w-]{8,}\.[\w-]*$/.test(argument);
  const claims = argument.trimStart().startsWith('{');
  const opaque =
    argument.length >= 32 &&
    !/[./\\]/.test(argument) &&
    /\d/.test(argument) &&
    /[a-z]/i.test(argument);
  if (!token && !claims && !opaque) return;
  throw new UsageError(
    'a secret is never an argument: other programs and the history of the shell would see it',
    'give a file, use - for standard input, or set LECTERN_TOKEN or LECTERN_API_KEY',
  );
}
