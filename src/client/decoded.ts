import { TransportError } from './transport.ts';

/**
 * Decompresses a body: a proxy may compress it although `identity` was requested. An unknown encoding
 * is left unchanged.
 *
 * @throws {TransportError} the body is not valid, or has more than `maxBytes`
 */
export async function decoded(
  bytes: Uint8Array,
  encoding: string,
  maxBytes: number,
): Promise<Uint8Array> {
  const { brotliDecompressSync, unzipSync } = await import('node:zlib');
  const name = encoding.trim().toLowerCase();
  const isKnown = ['gzip', 'x-gzip', 'deflate', 'br'].includes(name);
  if (!isKnown || bytes.length === 0) return bytes;
  const decode = name === 'br' ? brotliDecompressSync : unzipSync;
  try {
    return decode(bytes, { maxOutputLength: maxBytes });
  } catch (cause) {
    const isLong = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    const why = isLong
      ? `its body has more than ${maxBytes} bytes`
      : `its body is not valid ${name}`;
    throw new TransportError(why, true, { cause, isUnusable: true });
  }
}
