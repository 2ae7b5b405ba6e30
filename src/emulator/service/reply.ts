import type { HttpError, Reply } from '../http/messages.ts';
import type { EmulatorState } from '../state/state.ts';

/* How the service writes its answers: as the values in force of the freedoms have it. */

/** The state with what the seed of `--vary` chose. */
export type WithChosen = Pick<EmulatorState, 'chosen'>;

/** One of the service's own objects, or a list of them. */
export function written({ chosen }: WithChosen, status: number, value: object): Reply {
  const { fields } = chosen;
  const withFields = Array.isArray(value)
    ? value.map((each: object) => Object.assign(each, fields))
    : { ...value, ...fields };
  return {
    status,
    headers: { 'content-type': chosen.content_type },
    body: json(chosen, withFields),
  };
}

/** A row, as it was last written. */
export function writtenRow({ chosen }: WithChosen, body: string | Uint8Array): Reply {
  return { status: 200, headers: { 'content-type': chosen.content_type }, body };
}

/**
 * An error in the "standard error envelope" ("Errors", other rules 2: its fields are not shown). An error
 * without a message in the contract has none here.
 */
export function writtenError(
  { chosen }: WithChosen,
  { status, code, message, headers }: HttpError,
): Reply {
  const refusal = { status, code, message };
  const { type, body } = chosen.envelope;
  const content = body({ ...refusal, message: chosen.messages(refusal) });
  return {
    status,
    headers: { 'content-type': type, ...headers },
    body: typeof content === 'string' ? content : json(chosen, content),
  };
}

function json({ escapes, space, order }: EmulatorState['chosen'], value: unknown): string {
  return escapes(space(order(value)));
}

/** The headers of an answer, and how its body goes over the wire. */
export function framed({ chosen }: WithChosen, reply: Reply): Reply {
  return { ...reply, headers: { ...chosen.headers, ...reply.headers }, chunkBytes: chosen.framing };
}
