import { ENTITY, entityCharacter } from '../contract/entities.ts';

/** The elements whose text is used; all other text is the body. */
const KINDS: Readonly<Record<string, keyof Texts>> = {
  title: 'title',
  h1: 'heading',
  p: 'paragraphs',
  pre: 'paragraphs',
  li: 'paragraphs',
  dd: 'paragraphs',
  message: 'message',
  code: 'code',
};

interface Texts {
  title: string;
  heading: string;
  paragraphs: string;
  message: string;
  code: string;
  body: string;
}

/** Elements within a sentence or a word. */
const INLINE = new Set(
  'a abbr b big code em font i kbd s samp small span strong sub sup tt u var'.split(' '),
);
/** More than is ever shown of an answer. */
const MAX_CHARACTERS = 16 << 10;

/**
 * A comment, CDATA, an element that is not shown, a declaration, a tag, or text. What has no end
 * extends to the end of the page, so that nothing is read twice.
 */
const TOKEN =
  /<!--[^]*?(?:-->|$)|<!\[CDATA\[(?<data>[^]*?)(?:\]\]>|$)|<(?<hidden>script|style|template)\b[^]*?(?:<\/\k<hidden>[^>]*(?:>|$)|$)|<[!?][^>]*(?:>|$)|<(?<slash>\/?)(?<name>[a-z][a-z0-9]*)[^>]*(?:>|$)|(?<text>[^<]+|<)/gi;

/**
 * The text of an error page in HTML or XML: code and message of an object store; otherwise title,
 * heading and paragraphs, or all text if there is no paragraph. Linear in the length of the page.
 */
export function pageText(markup: string): string {
  const { title, heading, paragraphs, message, code, body } = readPage(markup);
  if (message !== '') return code === '' ? message : `${code}: ${message}`;
  return joinDistinct([title, heading, paragraphs || body || code]) || markup;
}

/** Leaves out repetitions: a heading often repeats the title, and a text both of them. */
function joinDistinct(texts: readonly string[]): string {
  const padded = (text: string): string => ` ${text.toLowerCase().replace(/[.!:]$/, '')} `;
  const joined: string[] = [];
  for (const text of texts) {
    if (text !== '' && !joined.some((each) => padded(each).includes(padded(text))))
      joined.push(text);
  }
  return joined.join(': ');
}

function readPage(markup: string): Texts {
  const texts: Texts = { title: '', heading: '', paragraphs: '', message: '', code: '', body: '' };
  let kind: keyof Texts = 'body';
  const add = (text: string): void => {
    if (texts[kind].length < MAX_CHARACTERS) texts[kind] += text.slice(0, MAX_CHARACTERS);
  };
  for (const { groups = {} } of markup.matchAll(TOKEN)) {
    const { text, data, slash } = groups;
    const name = groups.name?.toLowerCase();
    add(text ?? data ?? '');
    // <code> within a sentence is part of it.
    if (name === undefined || (INLINE.has(name) && kind !== 'body' && kind !== 'code')) continue;
    add(' ');
    if (Object.hasOwn(KINDS, name)) kind = (slash === '' && KINDS[name]) || 'body';
    add(' ');
  }
  for (const name of Object.keys(texts) as (keyof Texts)[]) texts[name] = plain(texts[name]);
  return texts;
}

function plain(text: string): string {
  return text.replace(ENTITY, entityCharacter).replace(/\s+/g, ' ').trim();
}
