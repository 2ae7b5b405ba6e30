/** The inside of a tag, where ">" may occur in quotes. */
const INSIDE = `(?:"[^"]*"|'[^']*'|[^'">])*`;
const SPACE = '(?:\\s|<!--[^]*?-->|<\\?[^>]*>)*';

/**
 * What may precede the content of a page's head: a byte order mark, comments, the doctype, and the
 * optional tags `html` and `head`.
 */
const BEFORE_HEAD = new RegExp(
  `^(?:\u00ef\u00bb\u00bf)?${SPACE}(?:<!doctype${INSIDE}>${SPACE})?` +
    `(?:<html(?=[\\s/>])${INSIDE}>${SPACE})?(?:<head(?=[\\s/>])${INSIDE}>)?`,
  'i',
);

/** Adds a script to a page that runs before everything else; all other bytes stay unchanged. */
export function withScript(page: Buffer, src: string): Buffer {
  // One character per byte: only tags are searched, which are ASCII in every encoding of the web.
  const before = BEFORE_HEAD.exec(page.toString('latin1'))?.[0].length ?? 0;
  const script = Buffer.from(`<script src="${src}"></script>`);
  return Buffer.concat([page.subarray(0, before), script, page.subarray(before)]);
}
