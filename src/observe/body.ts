import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { nativeOrUndefined } from '../json/native.ts';

/** The most that is kept of a body: more than any JSON body that the contract allows. */
const KEPT_BYTES = 4 * 1024 * 1024;

/** A body as it passes: its size, and its bytes as long as they are few. */
export class PassedBody {
  size = 0;
  #chunks: Uint8Array[] | undefined;

  /** @param isKept whether its bytes are looked at; those of files are not */
  constructor(isKept: boolean) {
    this.#chunks = isKept ? [] : undefined;
  }

  add(chunk: Uint8Array): void {
    this.size += chunk.length;
    if (this.size > KEPT_BYTES) this.#chunks = undefined;
    this.#chunks?.push(chunk);
  }

  /** Undefined if they were not kept. */
  get bytes(): Buffer | undefined {
    return this.#chunks && Buffer.concat(this.#chunks);
  }
}

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gunzipSync(bytes, { maxOutputLength: KEPT_BYTES }),
  deflate: (bytes) => inflateSync(bytes, { maxOutputLength: KEPT_BYTES }),
  br: (bytes) => brotliDecompressSync(bytes, { maxOutputLength: KEPT_BYTES }),
};

/** The bytes of a body without its content coding; undefined if that is unknown or damaged. */
export function decompressed(bytes: Buffer | undefined, coding = 'identity'): Buffer | undefined {
  const name = coding.trim().toLowerCase();
  if (bytes === undefined || name === 'identity' || name === '') return bytes;
  try {
    return DECODERS[name]?.(bytes);
  } catch {
    return undefined;
  }
}

/** A body as JSON; undefined if it is not. */
export function jsonOf(bytes: Uint8Array | undefined): unknown {
  return bytes && nativeOrUndefined(new TextDecoder().decode(bytes));
}
