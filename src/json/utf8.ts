import { positionAt } from './reasons.ts';
import { utf8Length } from './reformat.ts';
import { JsonSyntaxError } from './value.ts';

/** Made once: that takes five times as long as decoding an answer. */
const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes UTF-8; throws `JsonSyntaxError` with the offset of the first invalid byte. A byte order mark
 * is kept, so that `parseJson` refuses it: dropping it silently would change the bytes.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return STRICT.decode(bytes);
  } catch {
    return failUtf8(bytes);
  }
}

/** Whether the bytes of a JSON text are UTF-16: a byte order mark, or half a character that is zero. */
export function isUtf16(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isMarked || (bytes.length > 1 && (first === 0 || second === 0));
}

/** Finds the first replacement character that the bytes themselves do not hold. */
function failUtf8(bytes: Uint8Array): never {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  let offset = 0;
  let from = 0;
  let mark = text.indexOf('\ufffd');
  while (mark !== -1) {
    offset += utf8Length(text.slice(from, mark));
    const isWritten =
      bytes[offset] === 0xef && bytes[offset + 1] === 0xbf && bytes[offset + 2] === 0xbd;
    if (!isWritten) break;
    from = mark;
    mark = text.indexOf('\ufffd', mark + 1);
  }
  throw new JsonSyntaxError(
    'bytes that are not valid UTF-8: save the file as UTF-8',
    offset,
    positionAt(text, mark),
  );
}
