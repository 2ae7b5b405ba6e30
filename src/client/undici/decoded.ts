import type { Transform } from 'node:stream';

/**
 * A body without its compression: somebody on the way may compress what was asked for as it is. Of
 * an encoding that nobody knows the bytes stay as they came.
 */
export async function* decoded(
  body: AsyncIterable<Uint8Array>,
  encoding: string,
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
  yield* decoder;
}
