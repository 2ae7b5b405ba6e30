/** The exit codes of the command line, in their order; a code's meaning never changes. */
export const EXIT_CODES = [
  { code: 0, name: 'done', meaning: 'done' },
  {
    code: 1,
    name: 'unexpected',
    meaning:
      'local problem: damaged or full storage, a failed check of doctor, a difference with diff --exit-code or grade verify, grades that grade settle left in doubt, or a bug (reported as such)',
  },
  {
    code: 2,
    name: 'usage',
    meaning: 'usage error, or a prompt is needed and there is no terminal',
  },
  { code: 3, name: 'invalid', meaning: 'invalid: rejected by lectern, nothing sent' },
  {
    code: 4,
    name: 'unauthenticated',
    meaning:
      'not authenticated: no credential, the wrong kind of credential, 401, or the token has ended',
  },
  { code: 5, name: 'forbidden', meaning: 'forbidden (403)' },
  { code: 6, name: 'notFound', meaning: 'not found (404)' },
  { code: 7, name: 'refused', meaning: 'refused by the service (422 and other 4xx)' },
  {
    code: 8,
    name: 'unreachable',
    meaning: 'unreachable, nothing took effect: no connection, 429, or a read without a response',
  },
  {
    code: 9,
    name: 'failed',
    meaning: 'an attempt was recorded as failed, or part of a batch failed',
  },
  {
    code: 10,
    name: 'inDoubt',
    meaning: 'in doubt: a write was sent, and its response is missing, unusable, a 3xx or a 5xx',
  },
  { code: 130, name: 'interrupted', meaning: 'interrupted, or a prompt was declined' },
] as const;

export type ExitCode = (typeof EXIT_CODES)[number]['code'];

/** The codes by their names, such as `EXIT.usage`. */
export const EXIT = Object.fromEntries(EXIT_CODES.map(({ code, name }) => [name, code])) as {
  readonly [Each in (typeof EXIT_CODES)[number] as Each['name']]: Each['code'];
};

/** What an exit code means, in one line. */
export function exitMeaning(code: number): string {
  return EXIT_CODES.find((each) => each.code === code)?.meaning ?? '';
}

/** The exit code of a 4xx answer. After 429 nothing took effect, hence "unreachable". */
export function exitOfRefusal(status: number): ExitCode {
  if (status === 401) return EXIT.unauthenticated;
  if (status === 403) return EXIT.forbidden;
  if (status === 404) return EXIT.notFound;
  if (status === 429) return EXIT.unreachable;
  return EXIT.refused;
}

/** The exit codes of shells for a program that cannot be executed, or does not exist. */
export const NOT_RUN: readonly number[] = [126, 127];
