import { signal } from '@preact/signals';
import { visible } from './text.ts';

/*
 * Calls of the control side, with the session of this page. The session is got for a code in the
 * address: cookies of one port go to all ports of a machine, so none is used.
 */

const KEY = 'lectern-console';

/** What this page comes in with; undefined where it has nothing. */
export const session = signal<string | undefined>(sessionStorage.getItem(KEY) ?? undefined);
/** Why the way in was refused. */
export const refusal = signal('');

/** What the emulator refuses, in its own words. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export type Query = Readonly<Record<string, string | number | undefined>>;

export interface Call {
  readonly query?: Query;
  /** Sent as JSON, or as it is with its type. */
  readonly json?: unknown;
  readonly body?: Blob | string;
  readonly type?: string;
  readonly signal?: AbortSignal;
}

const PREFIX = '/_emulator/';

/** Calls an operation; throws `ApiError` where it is refused, `TypeError` where nothing answers. */
export async function send(operation: string, call: Call = {}): Promise<Response> {
  const [method = 'GET', path = ''] = operation.split(' ');
  const { json, body = json === undefined ? undefined : JSON.stringify(json) } = call;
  const given = session.value;
  const response = await fetch(PREFIX + path + queryText(call.query), {
    method,
    headers: {
      ...(given !== undefined && { authorization: `Bearer ${given}` }),
      ...(method === 'POST' && { 'content-type': call.type ?? 'application/json' }),
    },
    ...(method === 'POST' && { body: body ?? '{}' }),
    ...(call.signal && { signal: call.signal }),
  });
  if (response.ok) return response;
  if (response.status === 401 && given === session.value) leave();
  throw await errorOf(response);
}

/** The same for an answer that is JSON. */
export async function ask<Answer>(operation: string, call: Call = {}): Promise<Answer> {
  return (await send(operation, call)).json() as Promise<Answer>;
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

function queryText(query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

function leave(): void {
  sessionStorage.removeItem(KEY);
  session.value = undefined;
}

/** Trades a code in the address for a session; it is taken out of the address at once. */
export async function enter(): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code === null) return;
  history.replaceState(null, '', location.pathname + location.search);
  try {
    const answer = await ask<{ session: string }>('POST console/session', { json: { code } });
    sessionStorage.setItem(KEY, answer.session);
    refusal.value = '';
    session.value = answer.session;
  } catch (error) {
    if (session.value === undefined) refusal.value = messageOf(error);
  }
}

/** What to say of an error. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return visible(error.message);
  if (error instanceof TypeError) return 'the emulator does not answer';
  return error instanceof Error ? error.message : String(error);
}
