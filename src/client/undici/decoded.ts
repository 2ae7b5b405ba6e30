import type { Transform } from 'node:stream';
import { TransportError } from '../transport.ts';

/**
 * A body without its compression: somebody on the way may compress what was asked for as it is. Of
 * an encoding that nobody knows the bytes stay as they came. `letGo` ends the body: an iterator that
 * waits for more of it does not hear that nobody reads it any longer.
 */
export async function* decoded(
  body: AsyncIterable<Uint8Array>,
  encoding: string,
  letGo: () => void,
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
  // Whoever reads the decoder is told of an error of either; there is nobody else to tell.
  pipeline(Readable.from(body), decoder, () => {});
  try {
    yield* decoder;
  } catch (error) {
    throw isMalformed(error) ? notValid(name, error) : error;
  } finally {
    letGo();
  }
}

/** What zlib says of bytes that are not of the format; of those that only end too soon, Z_BUF_ERROR. */
function isMalformed(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return code === 'Z_DATA_ERROR' || code.startsWith('ERR_');
}

function notValid(name: string, cause: unknown): TransportError {
  return new TransportError(`its body is not valid ${name}`, true, { cause, isUnusable: true });
}
