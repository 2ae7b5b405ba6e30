import { ENTITY, entityCharacter } from './entities.ts';
import { type Span, TextFinder } from './find-texts.ts';

const REDACTED = '[redacted]';
/** Shorter ones may be ordinary words of a message, also in base64. */
const MIN_CHARACTERS = 8;
/** Encodings may be nested: a percent sign escaped in JSON. */
const MAX_NESTED_ESCAPES = 3;

/** Redacts a text before it is stored or shown. */
export type Redact = (text: string) => string;

/**
 * Creates a function that redacts secrets in texts, in each way that a service may write them: plain,
 * with the escapes of JSON, URLs, forms and HTML, in any combination, and a credential in base64, alone
 * or after a user name. Short parts of `signatures` (of a signed URL or form) are not redacted.
 */
export function redactor(credential: string, signatures: readonly string[] = []): Redact {
  const long = signatures.filter((each) => each.length >= MIN_CHARACTERS);
  const written = [credential, ...long, ...inBase64(credential)].filter((each) => each !== '');
  const patterns = [...new Set(written.map(withSpaces))];
  let finder: TextFinder | undefined;
  const find = (text: string): Span[] =>
    (finder ??= new TextFinder(patterns)).find(withSpaces(text));
  return (text) => {
    // Fast path: most texts have no secret and no escape, and a run reads many thousands of them.
    if (!ESCAPED.test(text) && patterns.length < 10) {
      const spaced = withSpaces(text);
      if (!patterns.some((pattern) => spaced.includes(pattern))) return text;
    }
    return replaceSpans(text, secretsIn(text, find, MAX_NESTED_ESCAPES, new Set([text])));
  };
}

/** A form encodes a space as a plus sign, and the text may be decoded without regard to that. */
function withSpaces(text: string): string {
  return text.includes('+') ? text.replaceAll('+', ' ') : text;
}

/** The base64 characters of a text that do not depend on what is before and after it. */
function inBase64(secret: string): string[] {
  if (secret.length < MIN_CHARACTERS) return [];
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    // Six bits are a character: those that include surrounding bits are left out.
    const start = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    const inner = whole.slice(start, end);
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** A way to encode characters. */
interface Encoding {
  readonly pattern: RegExp;
  readonly character: (...match: string[]) => string;
}

const ESCAPED = /[\\%&]/;

const JSON_ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const ENCODINGS: readonly Encoding[] = [
  {
    pattern: /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g,
    character: (_, code, letter = '') =>
      code === undefined
        ? (JSON_ESCAPES[letter] ?? letter)
        : String.fromCharCode(Number.parseInt(code, 16)),
  },
  {
    pattern:
      /%[0-7][0-9a-f]|%[cd][0-9a-f]%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-4](?:%[89ab][0-9a-f]){3}/gi,
    character: (escape = '') => Buffer.from(escape.replaceAll('%', ''), 'hex').toString(),
  },
  { pattern: ENTITY, character: entityCharacter as Encoding['character'] },
];

/** The spans of secrets in a text, plain and in each encoding; `seen` are texts that were searched. */
function secretsIn(
  text: string,
  find: (text: string) => Span[],
  levels: number,
  seen: Set<string>,
): Span[] {
  const found = find(text);
  if (levels === 0 || !ESCAPED.test(text)) return found;
  for (const spelling of ENCODINGS) {
    const read = text.replace(spelling.pattern, spelling.character);
    if (seen.has(read)) continue;
    seen.add(read);
    const inner = secretsIn(read, find, levels - 1, seen);
    for (const span of mapToSource(text, spelling, inner)) found.push(span);
  }
  return mergeSpans(found);
}

/** Maps spans of the decoded text to spans of the encoded text. */
function mapToSource(
  text: string,
  { pattern, character }: Encoding,
  spans: readonly Span[],
): Span[] {
  const edges = spans.flatMap(({ start, end }) => [start, end]);
  const places: number[] = [];
  let read = 0;
  let source = 0;
  const placeUpTo = (limit: number, place: (edge: number) => number): void => {
    for (let edge = edges[places.length]; edge !== undefined && edge <= limit;) {
      places.push(place(edge));
      edge = edges[places.length];
    }
  };
  for (const match of text.matchAll(pattern)) {
    const end = match.index + match[0].length;
    read += match.index - source;
    const plain = { read, source: match.index };
    placeUpTo(plain.read, (edge) => plain.source - (plain.read - edge));
    // An escape may be two units, as of an emoji: it is redacted whole.
    const [whole, one, two, three] = match as unknown as string[];
    read += character(whole as string, one as string, two as string, three as string).length;
    placeUpTo(read - 1, () => (places.length % 2 === 0 ? match.index : end));
    source = end;
  }
  placeUpTo(Infinity, (edge) => source + edge - read);
  return spans.map((_, index) => ({
    start: places[2 * index] ?? 0,
    end: places[2 * index + 1] ?? text.length,
  }));
}

function mergeSpans(spans: readonly Span[]): Span[] {
  const found: { start: number; end: number }[] = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = found.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else found.push({ start, end });
  }
  return found;
}

function replaceSpans(text: string, spans: readonly Span[]): string {
  let rest = 0;
  const kept: string[] = [];
  for (const { start, end } of spans) {
    kept.push(text.slice(rest, start));
    rest = end;
  }
  return [...kept, text.slice(rest)].join(REDACTED);
}

/** A JSON string; an unterminated one extends to the end of the text, which is then read only once. */
const JSON_STRING = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)/gs;

/** Redacts secrets in the strings of a JSON text, which stays valid JSON. */
export function redactJson(text: string, redact: Redact): string {
  if (redact(text) === text) return text;
  return text.replace(JSON_STRING, (string) => {
    const redacted = redact(string);
    if (redacted === string || isJson(redacted)) return redacted;
    return JSON.stringify(redact(JSON.parse(string) as string));
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
