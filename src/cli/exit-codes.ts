/** The exit codes of the command line; a code's meaning never changes. */
export const EXIT = {
  done: 0,
  unexpected: 1,
  usage: 2,
  invalid: 3,
  unauthenticated: 4,
  forbidden: 5,
  notFound: 6,
  refused: 7,
  unreachable: 8,
  failed: 9,
  inDoubt: 10,
  interrupted: 130,
} as const;

/** What each exit code means, in one line, for the reference and README.md. */
export const EXIT_MEANINGS: Readonly<Record<number, string>> = {
  0: 'done',
  1: 'local problem: damaged or full storage, a failed check of doctor, a difference with diff --exit-code or grade verify, or a bug (reported as such)',
  2: 'usage error, or a prompt is needed and there is no terminal',
  3: 'invalid: rejected by lectern, nothing sent',
  4: 'not authenticated: no credential, the wrong kind of credential, 401, or the token has ended',
  5: 'forbidden (403)',
  6: 'not found (404)',
  7: 'refused by the service (422 and other 4xx)',
  8: 'unreachable, nothing took effect: no connection, 429, or a read without a response',
  9: 'an attempt was recorded as failed, or part of a batch failed',
  10: 'in doubt: a write was sent, and its response is missing, unusable, a 3xx or a 5xx',
  130: 'interrupted, or a prompt was declined',
};

/** The exit code of a 4xx answer. 429 says that nothing took effect, hence "unreachable". */
export function exitOfRefusal(status: number): number {
  if (status === 401) return EXIT.unauthenticated;
  if (status === 403) return EXIT.forbidden;
  if (status === 404) return EXIT.notFound;
  if (status === 429) return EXIT.unreachable;
  return EXIT.refused;
}
