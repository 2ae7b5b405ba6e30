import { ENTITY, entityCharacter } from './entities.ts';

/** Where the texts of a page go; what stands elsewhere is its body. */
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

/** These stand within a sentence, or a word. */
const INLINE = new Set(
  'a abbr b big code em font i kbd s samp small span strong sub sup tt u var'.split(' '),
);
/** What stands in these is not shown. */
const HIDDEN = new Set(['script', 'style', 'template']);
/** Far more than is shown of any answer. */
const MAX_CHARACTERS = 16 << 10;

/**
 * What an error page in HTML or XML says: of an object store its code and message; else its title,
 * its heading and its paragraphs, or all of its text where it has no paragraph. The time that it
 * takes grows with the length of the page and not faster.
 */
export function pageText(markup: string): string {
  const { title, heading, paragraphs, message, code, body } = readPage(markup);
  if (message !== '') return code === '' ? message : `${code}: ${message}`;
  return parts([title, heading, paragraphs || body || code]) || markup;
}

/** What is not said already: a heading often repeats the title, and a text both of them. */
function parts(texts: readonly string[]): string {
  const words = (text: string): string => ` ${text.toLowerCase().replace(/[.!:]$/, '')} `;
  const told: string[] = [];
  for (const text of texts) {
    if (text !== '' && !told.some((each) => words(each).includes(words(text)))) told.push(text);
  }
  return told.join(': ');
}

function readPage(markup: string): Texts {
  const texts: Texts = { title: '', heading: '', paragraphs: '', message: '', code: '', body: '' };
  let kind: keyof Texts = 'body';
  const add = (text: string): void => {
    if (texts[kind].length < MAX_CHARACTERS) texts[kind] += text.slice(0, MAX_CHARACTERS);
  };
  for (const token of tokens(markup)) {
    if (typeof token === 'string') {
      add(token);
      continue;
    }
    const { name, isEnd } = token;
    // In a sentence <code> is no more than a word of it.
    if (INLINE.has(name) && kind !== 'body' && kind !== 'code') continue;
    add(' ');
    const found = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
    if (found !== undefined) kind = isEnd ? 'body' : found;
    add(' ');
  }
  for (const name of Object.keys(texts) as (keyof Texts)[]) texts[name] = plain(texts[name]);
  return texts;
}

function plain(text: string): string {
  return text.replace(ENTITY, entityCharacter).replace(/\s+/g, ' ').trim();
}

interface Tag {
  /** In lower case. */
  readonly name: string;
  readonly isEnd: boolean;
}

/** Texts and tags in their order. Each step goes on where the last one ended, so none is read twice. */
function* tokens(markup: string): Generator<string | Tag> {
  for (let at = 0; at < markup.length;) {
    const start = markup.indexOf('<', at);
    if (start !== at) yield markup.slice(at, start === -1 ? undefined : start);
    if (start === -1) return;
    const tag = tagAt(markup, start);
    const end = endOf(markup, start, tag);
    // What is open to the end of the page says no more.
    if (end === undefined) return;
    if (tag) yield tag;
    else if (markup.startsWith('<![CDATA[', start)) yield markup.slice(start + 9, end - 3);
    else if (end === start + 1) yield '<';
    at = end;
  }
}

const TAG = /<(\/?)([a-z][a-z0-9]{0,31})/iy;

function tagAt(markup: string, start: number): Tag | undefined {
  TAG.lastIndex = start;
  const [, slash, name = ''] = TAG.exec(markup) ?? [];
  return slash === undefined ? undefined : { name: name.toLowerCase(), isEnd: slash !== '' };
}

/** Behind what begins at a `<`; undefined where it does not end. */
function endOf(markup: string, start: number, tag: Tag | undefined): number | undefined {
  const behind = (text: string, from = start): number | undefined => {
    const found = markup.indexOf(text, from);
    return found === -1 ? undefined : found + text.length;
  };
  if (tag) {
    const end = behind('>');
    const isHidden = HIDDEN.has(tag.name) && !tag.isEnd;
    return end !== undefined && isHidden ? behindElement(markup, end, tag.name) : end;
  }
  if (markup.startsWith('<!--', start)) return behind('-->', start + 4);
  if (markup.startsWith('<![CDATA[', start)) return behind(']]>');
  if (markup.startsWith('<!', start) || markup.startsWith('<?', start)) return behind('>');
  return start + 1;
}

function behindElement(markup: string, from: number, name: string): number | undefined {
  const close = new RegExp(`</${name}[^>]{0,99}>`, 'gi');
  close.lastIndex = from;
  return close.test(markup) ? close.lastIndex : undefined;
}
