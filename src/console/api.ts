import { signal } from '@preact/signals';
import type { Answers, StreamedName, Taken } from '../emulator/control/index.ts';
import type { ResourceItem } from '../control-api/resources.ts';
import { controlRequest, type RawBody } from '../control-request.ts';
import { visible } from './text.ts';

/*
 * Calls of the control API with the session of this page, which it gets for a code in the address.
 * Cookies are not used: those of one port are sent to all ports of a machine.
 */

const KEY = 'lectern-console';

/** The session of this page; undefined if it has none. */
export const session = signal<string | undefined>(sessionStorage.getItem(KEY) ?? undefined);
/** Why the code or token was refused. */
export const refusal = signal('');

/** An error response of the emulator. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

type OperationName = keyof Answers | StreamedName;
export type { Answers, Taken };

export type World = Answers['GET world'];
export type Location = World['locations'][number];
export type Tool = World['tools'][number];
export type Lms = Location['lms'];
export type Member = ResourceItem<'members'>;
export type Token = ResourceItem<'tokens'>;
export type Row = ResourceItem<'rows'>;
export type Files = Answers['GET files'];
export type Attempt = ResourceItem<'attempts'>;
export type ShownRequest = Answers['GET request'];
export type Half = NonNullable<ShownRequest['captured']>['request'];
export type Exchange = Answers['GET requests']['requests'][number];
export type Report = Answers['GET report'];

/** Further parts of a call. */
interface More {
  readonly raw?: RawBody<Blob | string>;
  readonly signal?: AbortSignal;
  /** Used instead of the session. */
  readonly token?: string;
}

/** Calls an operation; throws `ApiError` if it is refused, `TypeError` if there is no response. */
export async function send<Name extends OperationName>(
  operation: Name,
  taken?: Taken[Name],
  more: More = {},
): Promise<Response> {
  const { target, headers, ...request } = controlRequest(operation, taken, more.raw);
  const given = more.token ?? session.value;
  const response = await fetch(target, {
    ...request,
    headers: { ...headers, ...(given !== undefined && { authorization: `Bearer ${given}` }) },
    ...(more.signal && { signal: more.signal }),
  });
  if (response.ok) return response;
  const error = await errorOf(response);
  // A refused code is no reason to leave.
  if (error.status === 401 && error.code === 'control.token' && given === session.value) leave();
  throw error;
}

/** The same for a JSON response. */
export async function ask<Name extends keyof Answers>(
  operation: Name,
  taken?: Taken[Name],
  more?: More,
): Promise<Answers[Name]> {
  return (await send(operation, taken, more)).json() as Promise<Answers[Name]>;
}

/** Throws if an answer of the service is an error; `what` is the call. */
export async function checkAnswer(response: Response, what: string): Promise<void> {
  if (response.ok) return;
  const text = await response.text();
  const words = /<Message>([^<]*)<\/Message>/.exec(text)?.[1] ?? text.slice(0, 200);
  throw new Error(
    [`${what} failed with status ${response.status}`, words].filter(Boolean).join(': '),
  );
}

async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message?: string } };
    return new ApiError(response.status, error.code, error.message ?? error.code);
  } catch {
    return new ApiError(response.status, '', `the emulator answered ${response.status}`);
  }
}

/** Sets the session of this tab. */
export function signIn(given: string): void {
  sessionStorage.setItem(KEY, given);
  refusal.value = '';
  session.value = given;
}

function leave(): void {
  sessionStorage.removeItem(KEY);
  session.value = undefined;
}

/** Trades a code in the address for a session, and removes it from the address at once. */
export async function enter(): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code === null) return;
  history.replaceState(null, '', location.pathname + location.search);
  try {
    const answer = await ask('POST console/session', { code });
    signIn(answer.session);
  } catch (error) {
    if (session.value === undefined) refusal.value = messageOf(error);
  }
}

/** Trades the token of the emulator for a session; the token is not stored. */
export async function enterWithToken(token: string): Promise<void> {
  const { code } = await ask('POST console/code', {}, { token }).catch((error: unknown) => {
    const isOther = error instanceof ApiError && error.status === 401;
    throw isOther ? new Error('This is not the token of this emulator.') : error;
  });
  signIn((await ask('POST console/session', { code })).session);
}

export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return visible(error.message);
  if (error instanceof TypeError) return 'the emulator does not answer';
  return error instanceof Error ? error.message : String(error);
}
