import { isHeaderText, isLoopback, originOf } from '../../contract/index.ts';
import { UsageError } from '../../errors.ts';
import { CredentialError, ExitError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { TOKEN_VARIABLE } from './flags.ts';
import { readinessOf } from './readiness.ts';
import { type EmulatorRecord, folderRecord, homeRecords, recordsAt } from './record.ts';
import { given } from '../session/precedence.ts';
import type { Runtime, Context } from '../runtime.ts';

export interface KnownEmulator {
  readonly url: string;
  readonly token: string;
  /** Undefined if it belongs to another machine or user. */
  readonly record: EmulatorRecord | undefined;
}

/** No running emulator was found. */
export class NotRunningError extends UsageError {
  constructor(message: string, otherwise = '') {
    super(message, `start one with: lectern emulator start${otherwise}`);
  }
}

/**
 * The emulators to try, in order: the one of `--emulator` or `LECTERN_EMULATOR`, else those started
 * under this home, last one first. At least one. A URL can name any emulator of the user, under any
 * home, and with `LECTERN_EMULATOR_TOKEN` of anybody.
 */
export async function findEmulators(context: Context): Promise<KnownEmulator[]> {
  const token = givenToken(context);
  const records = await recordsMeant(context);
  if (records.length > 0) {
    return records.map((record) => ({
      url: record.url,
      token: token ?? record.control_token,
      record,
    }));
  }
  const named = namedEmulator(context);
  const origin = named === undefined ? undefined : urlNamed(named);
  if (origin !== undefined && token !== undefined) {
    if ((await readinessOf(context, origin)) === 'other') throw notAnEmulator(origin);
    return [{ url: origin, token, record: undefined }];
  }
  const needsToken = async (url: string): Promise<boolean> =>
    !isLoopback(url) || (await readinessOf(context, url)) === 'open';
  if (origin !== undefined && (await needsToken(origin))) {
    throw new CredentialError(
      'missing',
      `the emulator at ${origin} needs its token`,
      `set ${TOKEN_VARIABLE} to the token that it was started with, or that it printed`,
    );
  }
  throw new NotRunningError(
    named === undefined
      ? 'no emulator is running in this home'
      : origin === undefined
        ? `no emulator is running on ${named}`
        : `no emulator of this user is running at ${named}`,
    otherEmulator(context),
  );
}

/** The error for a server that does not answer as an emulator does. */
export function notAnEmulator(url: string): ExitError {
  const message = `the server at ${url} does not answer as an emulator`;
  return new ExitError(EXIT.unreachable, 'emulator.unreachable', message, {
    hint: 'use the URL that lectern emulator start printed',
  });
}

/** The token of the environment, if any. */
export function givenToken({ env }: Runtime): string | undefined {
  const token = env[TOKEN_VARIABLE] || undefined;
  if (token === undefined || isHeaderText(token)) return token;
  throw new UsageError(
    `${TOKEN_VARIABLE} has a space, a control character or a non-ASCII character`,
    'use visible ASCII characters only',
  );
}

/** The value of `--emulator` or `LECTERN_EMULATOR`. */
export function namedEmulator(context: Context): string | undefined {
  return given(context, 'emulator')?.value;
}

/** The end of a hint for an emulator that `LECTERN_EMULATOR` names. */
export function otherEmulator(context: Context): string {
  if (given(context, 'emulator')?.from !== 'variable') return '';
  return '; LECTERN_EMULATOR names this one: unset it to use the one of this home';
}

/** A host and a port, which is what many programs print. */
const HOST_AND_PORT = /^(?:[\w.-]+|\[[\da-f:.]+\]):\d+(?:\/.*)?$/i;

/** The origin in that value; undefined if it is a folder. Without a scheme it is http. */
export function urlNamed(named: string): string | undefined {
  const url = HOST_AND_PORT.test(named) ? `http://${named}` : named;
  if (!/^https?:\/\//i.test(url)) return undefined;
  const origin = originOf(url);
  if (origin !== undefined) return origin;
  throw new UsageError(
    '--emulator and LECTERN_EMULATOR take the URL or the data folder of an emulator',
  );
}

/** The records of the emulators to try; none if there are none. */
export async function recordsMeant(context: Context): Promise<EmulatorRecord[]> {
  const named = namedEmulator(context);
  if (named === undefined) return homeRecords(context);
  const origin = urlNamed(named);
  return origin === undefined ? folderRecord(context, named) : recordsAt(context, origin);
}
