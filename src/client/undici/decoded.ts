import type { Transform } from 'node:stream';
import { TransportError } from '../transport.ts';

/**
 * Decompresses a body: a proxy may compress it although `identity` was requested. An unknown encoding
 * is left unchanged. `release` ends the body: its iterator would wait for more without noticing that
 * nobody reads it.
 */
export async function* decoded(
  body: AsyncIterable<Uint8Array>,
  encoding: string,
  release: () => void,
): AsyncGenerator<Uint8Array> {
  const zlib = await import('node:zlib');
  const { pipeline, Readable } = await import('node:stream');
  const decoders: Readonly<Record<string, () => Transform>> = {
    gzip: zlib.createGunzip,
    'x-gzip': zlib.createGunzip,
    deflate: zlib.createInflate,
    br: zlib.createBrotliDecompress,
  };
  const name = encoding.trim().toLowerCase();
  const decoder = Object.hasOwn(decoders, name) ? decoders[name]?.() : undefined;
  if (decoder === undefined) {
    yield* body;
    return;
  }
  // Errors of either stream reach the reader of the decoder.
  pipeline(Readable.from(body), decoder, () => {});
  try {
    yield* decoder;
  } catch (error) {
    throw isMalformed(error) ? notValid(name, error) : error;
  } finally {
    release();
  }
}

/** zlib's errors for invalid data; data that ends too early is Z_BUF_ERROR. */
function isMalformed(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return code === 'Z_DATA_ERROR' || code.startsWith('ERR_');
}

function notValid(name: string, cause: unknown): TransportError {
  return new TransportError(`its body is not valid ${name}`, true, { cause, isUnusable: true });
}
