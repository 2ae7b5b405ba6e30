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
