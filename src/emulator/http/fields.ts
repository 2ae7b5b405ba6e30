import { isObject } from '../../contract/index.ts';
import { HttpError } from './messages.ts';

/** A body that is a JSON object, in requests that are lectern's own. */
export type Body = Readonly<Record<string, unknown>>;

/** The error for a body of the wrong shape. */
export function wrongBody(message: string): HttpError {
  return new HttpError(422, 'control.body', message);
}

/** The error for an ID that does not exist. */
export function notFound(what: string, id: string): HttpError {
  return new HttpError(404, 'not_found', `no ${what} ${id}`.trimEnd());
}

export function requireFound<Value>(value: Value | undefined, what: string, id: string): Value {
  if (value === undefined) throw notFound(what, id);
  return value;
}

export function optionalText(body: Body, field: string): string | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && value !== '') return value;
  throw wrongBody(`${field} must be a string`);
}

export function text(body: Body, field: string): string {
  const value = optionalText(body, field);
  if (value === undefined) throw wrongBody(`${field} is missing`);
  return value;
}

export function wordField<Word extends string>(
  body: Body,
  field: string,
  words: readonly Word[],
): Word {
  const value = text(body, field);
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  throw wrongBody(`${field} must be one of ${words.join(', ')}`);
}

/** A field that holds an object. */
export function objectIn(body: Body, field: string): Body {
  const value = body[field];
  if (isObject(value)) return value;
  throw wrongBody(`${field} must be an object`);
}

/** A number, or the text of one: scripts fill in the bodies of the fixture's hooks. */
export function numberIn(body: Body, field: string): number {
  const value = body[field];
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw wrongBody(`${field} must be a number`);
}

/** The longest that a timer can wait; beyond it, it fires at once. */
const MAX_WAIT_MS = 2 ** 31 - 1;

/** A number of milliseconds that a timer can wait. */
export function millisecondsIn(body: Body, field: string): number {
  const value = numberIn(body, field);
  if (value >= 0 && value <= MAX_WAIT_MS) return value;
  throw wrongBody(`${field} must be from 0 to ${MAX_WAIT_MS}`);
}
