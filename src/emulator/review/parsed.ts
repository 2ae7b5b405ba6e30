import { nativeOrUndefined } from '../../json/native.ts';

/** A body as native JSON; undefined if it is not JSON. */
export function parsed(body: Uint8Array): unknown {
  return nativeOrUndefined(asBuffer(body).toString());
}

export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
