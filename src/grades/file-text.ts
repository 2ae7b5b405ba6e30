import { isUtf8 } from 'node:buffer';

/**
 * Stands for each part of the file that is not valid. Decoded UTF-8 never has a lone surrogate,
 * whereas U+FFFD may be in the file itself; in UTF-16 it is taken for such a part.
 */
export const NOT_UTF8 = '\udfff';

/** How the text of a file is stored. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** A byte order mark too. */
const SPACES = new Set(Buffer.from('\ufeff \t\r\n'));

/** Where the text begins, after empty lines. */
export function startOfText(bytes: Uint8Array): number {
  const start = bytes.findIndex((byte) => !SPACES.has(byte));
  return start === -1 ? bytes.length : start;
}

/** The encoding of a file that begins with these bytes, whose first line with text has no NUL character. */
export function encodingOf(head: Uint8Array): Encoding {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // A comment may have a zero, which a report writes as it is, but no header has one.
  // Without a line break the last byte is left out, which decides nothing.
  const zero = head.subarray(0, head.indexOf(0x0a, startOfText(head))).indexOf(0);
  if (zero === -1) return 'utf-8';
  return zero % 2 === 0 ? 'utf-16be' : 'utf-16le';
}

/** Decodes the chunks of a file as they arrive, without its byte order mark. */
export async function* textOf(
  chunks: AsyncIterable<Uint8Array>,
  encoding: Encoding,
): AsyncGenerator<string> {
  if (encoding !== 'utf-8') return yield* utf16TextOf(chunks, encoding);
  let isStart = true;
  for await (const bytes of wholeCharacters(chunks)) {
    const text = utf8TextOf(bytes);
    yield isStart && text.startsWith('\ufeff') ? text.slice(1) : text;
    isStart = false;
  }
}

/** The text of a whole file. */
export function wholeText(bytes: Uint8Array): string {
  const encoding = encodingOf(bytes);
  if (encoding === 'utf-8') return utf8TextOf(Buffer.from(bytes));
  return marked(new TextDecoder(encoding).decode(bytes));
}

function utf8TextOf(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString() : marked(bytes.toString());
}

async function* utf16TextOf(
  chunks: AsyncIterable<Uint8Array>,
  encoding: Encoding,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of chunks) yield marked(decoder.decode(chunk, { stream: true }));
  yield marked(decoder.decode());
}

function marked(text: string): string {
  return text.replaceAll('\ufffd', NOT_UTF8);
}

/** UTF-8 in other chunks: none ends within a character, unless the file does. */
async function* wholeCharacters(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    const last = bytes.subarray(-3);
    const start = last.findLastIndex((byte) => byte >= 0xc2);
    const end = bytes.length - (start === -1 ? 0 : last.length - start);
    if (end > 0) yield bytes.subarray(0, end);
    rest = bytes.subarray(end);
  }
  yield rest;
}
