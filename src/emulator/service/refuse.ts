import {
  explainViolation,
  placedMessage,
  readNativeObject,
  refusal,
  violation,
  type Code,
  type Params,
  type Violation,
} from '../../contract/index.ts';
import { bodyOf, HttpError, type PlainRequest } from '../http/messages.ts';

/** Refuses with a code of the contract, with its status and message. */
export function refuse(code: Code, params: Params = {}): never {
  refuseWith(violation(code, '', params));
}

/** Refuses with the first violation that has a status, if there is one. */
export function refuseAny(violations: readonly Violation[]): void {
  const refused = refusal(violations);
  if (refused !== undefined) refuseWith(refused);
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
