/** A tag's inside, where a ">" may stand in quotes. */
const INSIDE = `(?:"[^"]*"|'[^']*'|[^'">])*`;
const SPACE = '(?:\\s|<!--[^]*?-->|<\\?[^>]*>)*';

/**
 * What comes before the first thing in the head of a page: a byte order mark, comments, the doctype,
 * and the tags of `html` and `head`, each of which may be left out.
 */
const BEFORE_HEAD = new RegExp(
  `^(?:\u00ef\u00bb\u00bf)?${SPACE}(?:<!doctype${INSIDE}>${SPACE})?` +
    `(?:<html(?=[\\s/>])${INSIDE}>${SPACE})?(?:<head(?=[\\s/>])${INSIDE}>)?`,
  'i',
);

/** A page with a script in it that runs before everything else; its other bytes stay as they are. */
export function withScript(page: Buffer, src: string): Buffer {
  // One character a byte: only tags are looked for, and those are ASCII in every encoding of the web.
  const before = BEFORE_HEAD.exec(page.toString('latin1'))?.[0].length ?? 0;
  const script = Buffer.from(`<script src="${src}"></script>`);
  return Buffer.concat([page.subarray(0, before), script, page.subarray(before)]);
}
