/** A body that is sent as it is, with its type. */
export interface RawBody<Body> {
  readonly type: string;
  readonly body: Body;
}

/**
 * The prefix of the control API: what is behind the service (the LMS, the clock, the dashboard), on
 * the API origin, with its own bearer token. `OPERATIONS` is the table of its operations. An
 * invalid body is 422, an unknown ID 404.
 */
export const CONTROL_PREFIX = '/_emulator/';

interface ControlRequest<Body> {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Body | string;
}

/** The request of an operation. A GET, and a raw body, have the parameters in the query. */
export function controlRequest<Body = never>(
  operation: string,
  taken: object = {},
  raw?: RawBody<Body>,
): ControlRequest<Body> {
  const [method = '', path = ''] = operation.split(' ');
  const target = CONTROL_PREFIX + path;
  if (method === 'GET') return { method, target: target + queryText(taken), headers: {} };
  const { type, body } = raw ?? { type: 'application/json', body: JSON.stringify(taken) };
  const query = raw === undefined ? '' : queryText(taken);
  return { method, target: target + query, headers: { 'content-type': type }, body };
}

function queryText(taken: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(taken)) {
    if (value !== undefined && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}
