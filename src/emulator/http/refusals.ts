import type * as s from '../../schema/schema.ts';
import { HttpError } from './messages.ts';

export function wrongBody(message: string): HttpError {
  return new HttpError(422, 'control.body', message);
}

export function notFound(what: string, id: string): HttpError {
  return new HttpError(404, 'not_found', `no ${what} ${id}`.trimEnd());
}

export function requireFound<Value>(value: Value | undefined, what: string, id: string): Value {
  if (value === undefined) throw notFound(what, id);
  return value;
}

/** A condition beyond the schema, with the error if it is not met. */
export interface TakenRule<Taken = unknown> {
  readonly schema: s.JsonSchema;
  readonly message: string | ((taken: Taken) => string);
}
