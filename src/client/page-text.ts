import { ENTITY, entityCharacter } from './entities.ts';

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
/** Elements whose content is not shown. */
const HIDDEN = new Set(['script', 'style', 'template']);
/** More than is ever shown of an answer. */
const MAX_CHARACTERS = 16 << 10;

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
    // <code> within a sentence is part of it.
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

/** Texts and tags in order. Each step continues where the last one ended, so nothing is read twice. */
function* tokens(markup: string): Generator<string | Tag> {
  for (let at = 0; at < markup.length;) {
    const start = markup.indexOf('<', at);
    if (start !== at) yield markup.slice(at, start === -1 ? undefined : start);
    if (start === -1) return;
    const tag = tagAt(markup, start);
    const end = endOf(markup, start, tag);
    // An element that is never closed has no visible text.
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

/** The end of what begins at a `<`; undefined if it does not end. */
function endOf(markup: string, start: number, tag: Tag | undefined): number | undefined {
  const after = (text: string, from = start): number | undefined => {
    const found = markup.indexOf(text, from);
    return found === -1 ? undefined : found + text.length;
  };
  if (tag) {
    const end = after('>');
    const isHidden = HIDDEN.has(tag.name) && !tag.isEnd;
    return end !== undefined && isHidden ? afterElement(markup, end, tag.name) : end;
  }
  if (markup.startsWith('<!--', start)) return after('-->', start + 4);
  if (markup.startsWith('<![CDATA[', start)) return after(']]>');
  if (markup.startsWith('<!', start) || markup.startsWith('<?', start)) return after('>');
  return start + 1;
}

function afterElement(markup: string, from: number, name: string): number | undefined {
  const close = new RegExp(`</${name}[^>]{0,99}>`, 'gi');
  close.lastIndex = from;
  return close.test(markup) ? close.lastIndex : undefined;
}
