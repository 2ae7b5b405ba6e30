import { ROW_SIZE } from '../../contract/index.ts';
import { InvalidError } from '../../errors.ts';

/**
 * The maximum size of JSON input. The limits apply to compact JSON, and the input may be indented;
 * more might not fit into memory.
 */
export const MAX_JSON_BYTES = 16 * ROW_SIZE.context.bytes;
/** The maximum size of a grade file, which is read in flat memory: far more than ten million rows. */
export const MAX_GRADES_BYTES = 4 * 1024 ** 3;
/** The maximum size of a launch, a key or a list of keys. */
export const MAX_LAUNCH_BYTES = ROW_SIZE.context.bytes;

/**
 * Passes on the bytes of an input, called `source` in messages, as they come. Throws `InvalidError`
 * as soon as there are more than `most`, since the total is unknown.
 */
export async function* limitBytes(
  most: number,
  pieces: AsyncIterable<Uint8Array>,
  source: string,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > most) {
      throw new InvalidError(`${source} has more than ${most} bytes; the rest was not read`, {
        code: 'input.too_large',
        hint: 'no valid input is this large; check that it is the right file',
      });
    }
    yield piece;
  }
}

/** The bytes of an input in one piece. Throws what `upTo` throws. */
export async function readBytes(
  most: number,
  pieces: AsyncIterable<Uint8Array>,
  source: string,
): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const piece of limitBytes(most, pieces, source)) all.push(piece);
  return Buffer.concat(all);
}
