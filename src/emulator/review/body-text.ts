import { isObject } from '../../contract/index.ts';
import type { PlainRequest } from '../http/messages.ts';

/** The object of a JSON body that contains a text; undefined if it does not. */
export function objectInText(
  body: PlainRequest['body'],
  text: string,
): Readonly<Record<string, unknown>> | undefined {
  if (!(body instanceof Uint8Array) || !asBuffer(body).includes(text)) return undefined;
  const value = parsed(body);
  return isObject(value) ? value : undefined;
}

/** A body as native JSON; undefined if it is not JSON. */
export function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(asBuffer(body).toString());
  } catch {
    return undefined;
  }
}

export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
