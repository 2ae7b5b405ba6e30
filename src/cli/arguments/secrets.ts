import { PLACEHOLDER } from '../../contract/index.ts';
import { maskSecrets } from '../../contract/secrets.ts';
import { InvalidError, UsageError } from '../../errors.ts';
import { CredentialError } from '../errors.ts';

const SECRET_INPUTS =
  'pass it on the standard input of launch decode, launch save or key save, or set LECTERN_TOKEN or LECTERN_API_KEY';
/** The hint of an error about arguments that contain a secret. */
export const SECRET_HINT = `secrets are not accepted as arguments: ${SECRET_INPUTS}`;

/** Refuses an argument that looks like a secret: other programs and the history of the shell see it. */
export function refuseSecret(argument: string): void {
  if (maskSecrets(argument) === argument) return;
  throw new UsageError(
    'secrets are not accepted as arguments: other programs and the shell history can see them',
    SECRET_INPUTS,
  );
}

const ID_FLAG = /^--(?:member|only|where)(?:=|$)/;

/** Masks what looks like a secret in an error about the arguments. */
export function withoutSecrets<Report extends { message: string; hint: string | null }>(
  report: Report,
  argv: readonly string[],
): Report {
  let { message, hint } = report;
  const words = argv.flatMap((each, at) => {
    const isId = ID_FLAG.test(each) || ID_FLAG.test(argv[at - 1] ?? '');
    return [each, each.replace(/^--?[\w-]+=/, '')].map((word) => ({ word, isId }));
  });
  for (const { word, isId } of words) {
    const short = maskSecrets(word, isId);
    if (short === word) continue;
    // This error does not quote the argument.
    if (message.startsWith('too many arguments')) hint = SECRET_HINT;
    for (const form of [word, JSON.stringify(word).slice(1, -1)]) {
      if (!message.includes(form)) continue;
      message = message.replaceAll(form, short);
      hint = SECRET_HINT;
    }
  }
  return { ...report, message, hint };
}

/** A token or key as it was given, without what a paste adds to it; throws `CredentialError`. */
export function trimmedSecret(secret: string, what: string): string {
  return trimmed(
    secret,
    ({ fault, hint }) => new CredentialError('malformed', `${what} ${fault}`, hint),
  );
}

/** A secret that is to be saved, without what a paste adds to it; throws `InvalidError`. */
export function usableSecret(secret: string, what: string, code: string): string {
  return trimmed(secret, ({ fault, hint }) => new InvalidError(`${what} ${fault}`, { code, hint }));
}

/** Without white space around it, and what chats put into long words. */
function trimmed(
  secret: string,
  errorOf: (mistake: { fault: string; hint: string }) => Error,
): string {
  const own = secret.replace(/\p{Cf}/gu, '').trim();
  const [, fault, hint] = MISTAKES.find(([pattern]) => pattern.test(own)) ?? [];
  if (fault === undefined || hint === undefined) return own;
  throw errorOf({ fault, hint });
}

export const QUOTED = /^(["'`]).*\1$/s;
export const UNQUOTE = 'leave the quotes out: only a shell removes them';

/** What is often wrong with a pasted secret. */
const MISTAKES: readonly [pattern: RegExp, fault: string, hint: string][] = [
  [/^$/, 'is empty', 'give it as the dashboard or the launch shows it'],
  [
    PLACEHOLDER,
    'has a placeholder or dots in place of the secret',
    'copy the whole of it from where it is not hidden',
  ],
  [QUOTED, 'has quotes around it', UNQUOTE],
  [/^bearer\s/i, 'begins with "Bearer "', 'give what follows that word'],
  [/\s/, 'has spaces or line breaks in it', 'copy it again, on one line'],
  [
    /[^\x21-\x7e]/,
    'contains characters that are not allowed in an HTTP header',
    'copy it again: it has ASCII letters, digits and signs',
  ],
];
