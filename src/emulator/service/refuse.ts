import {
  explainViolation,
  placedMessage,
  readJson,
  readNativeObject,
  refusal,
  violation,
  type Code,
  type Params,
  type Violation,
} from '../../contract/index.ts';
import { STRICT_FREEDOMS } from '../freedom/bodies.ts';
import { bodyOf, HttpError, type PlainRequest } from '../http/messages.ts';
import type { WithChosen } from './reply.ts';

/** Refuses with a code of the contract, with its status and message. */
export function refuse(code: Code, params: Params = {}): never {
  refuseWith(violation(code, '', params));
}

/** Refuses with one of the violations that the service refuses, if there is any. */
export function refuseAny({ chosen }: WithChosen, violations: readonly Violation[]): void {
  const refused = chosen.several(violations.filter((each) => refuses({ chosen }, each)));
  if (refused !== undefined) refuseWith(refused);
}

const STRICT = Object.keys(STRICT_FREEDOMS) as (keyof typeof STRICT_FREEDOMS)[];

/** Whether the service refuses a violation, or accepts it. */
export function refuses({ chosen }: WithChosen, found: Violation): boolean {
  const isAlways = refusal([found]) !== undefined;
  return isAlways || STRICT.some((name) => chosen[name].includes(found.code));
}

const TWICE = violation('body.duplicate_name', '');

/** Refuses a JSON body without its type, or with a name twice, where the service does. */
export function refuseForm(chosen: WithChosen, { headers }: PlainRequest, body: Uint8Array): void {
  const type = headers['content-type'] === undefined ? 'has no Content-Type' : 'has another type';
  if (!/^application\/json *(?:;|$)/i.test(String(headers['content-type'])))
    refuseAny(chosen, [violation('request.content_type', '', { what: 'a call', type })]);
  // Finding one takes a second parser.
  if (!refuses(chosen, TWICE)) return;
  const read = readJson(body);
  if (!('violation' in read) && read.duplicates.length > 0) refuseWith(TWICE);
}

export function refuseWith(found: Violation): never {
  const { status } = explainViolation(found);
  throw new HttpError(status ?? 422, found.code, placedMessage(found));
}

/** Reads a body as a JSON object; refuses any other. */
export async function objectOf(request: PlainRequest): Promise<Record<string, unknown>> {
  return readObjectBody(await bodyOf(request)).object;
}

/** Reads a body as a JSON object, with its text; refuses any other. */
export function readObjectBody(body: Uint8Array) {
  const read = readNativeObject(body);
  if ('violation' in read) refuseWith(read.violation);
  return read;
}
