/** The inside of a tag, where ">" may occur in quotes. */
const INSIDE = `(?:"[^"]*"|'[^']*'|[^'">])*`;
const SPACE = '(?:\\s|<!--[^]*?-->|<\\?[^>]*>)*';

/**
 * What may precede the content of a page's head: a byte order mark, comments, the doctype, and the
 * optional tags `html` and `head`.
 */
const BEFORE_HEAD = new RegExp(
  `^(?:\u00ef\u00bb\u00bf|\ufeff)?${SPACE}(?:<!doctype${INSIDE}>${SPACE})?` +
    `(?:<html(?=[\\s/>])${INSIDE}>${SPACE})?(?:<head(?=[\\s/>])${INSIDE}>)?`,
  'i',
);

/**
 * Byte order marks, with the encoding of the pages that begin with them and the width of a
 * character.
 */
const UTF_16_LE = Buffer.from([0xff, 0xfe]);
const UTF_16_BE = Buffer.from([0xfe, 0xff]);

/**
 * Inserts a script into a page so that it runs before everything else; other bytes are unchanged.
 * The script has the encoding of the page: UTF-16 if the page begins with its byte order mark.
 */
export function withScript(page: Buffer, src: string): Buffer {
  const script = `<script src="${src}"></script>`;
  if (startsWith(page, UTF_16_LE)) return inserted(page, 2, Buffer.from(script, 'utf16le'));
  if (startsWith(page, UTF_16_BE))
    return inserted(page, 2, Buffer.from(script, 'utf16le').swap16());
  return inserted(page, 1, Buffer.from(script));
}

function startsWith(page: Buffer, mark: Buffer): boolean {
  return page.subarray(0, mark.length).equals(mark);
}

/** Only tags are searched for, which are ASCII in every encoding of the web. */
function inserted(page: Buffer, width: 1 | 2, script: Buffer): Buffer {
  const text = width === 1 ? page.toString('latin1') : asciiOf(page);
  const at = (BEFORE_HEAD.exec(text)?.[0].length ?? 0) * width;
  return Buffer.concat([page.subarray(0, at), script, page.subarray(at)]);
}

/** One character for each two bytes; those outside ASCII become some other character. */
function asciiOf(page: Buffer): string {
  const isLittle = startsWith(page, UTF_16_LE);
  const even = page.subarray(0, page.length - (page.length % 2));
  return (isLittle ? even : Buffer.from(even).swap16()).toString('utf16le');
}
