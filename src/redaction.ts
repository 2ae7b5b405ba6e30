import { ENTITY, entityCharacter } from './contract/entities.ts';

/** Shorter secrets may be ordinary words of a text, also in base64. */
const MIN_SECRET_CHARACTERS = 8;
/** Spellings may be nested: a percent sign escaped in JSON. */
const MAX_NESTED = 3;
/** So may base64 and hexadecimal digits. */
const MAX_DECODED = 2;

/** Whether a text is long enough to be redacted wherever it is. */
export function isSecret({ length }: string): boolean {
  return length >= MIN_SECRET_CHARACTERS;
}

export type Redact = (text: string) => string;

/** A part of a text: from the index `start` to before `end`. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** A way to escape characters. */
interface Spelling {
  readonly escape: RegExp;
  readonly read: (escape: string) => string;
}

const SPELLINGS: readonly Spelling[] = [
  {
    escape: /\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])/g,
    read: (escape) => JSON.parse(`"${escape}"`) as string,
  },
  {
    escape:
      /%[0-7][0-9a-f]|%[cd][0-9a-f]%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-4](?:%[89ab][0-9a-f]){3}/gi,
    read: (escape) => Buffer.from(escape.replaceAll('%', ''), 'hex').toString(),
  },
  { escape: ENTITY, read: entityCharacter },
  // UTF-16, read as if it was ASCII.
  { escape: /\0/g, read: () => '' },
];

/** Most texts have no escape. */
const ESCAPED = /[\\%&\0]/;

interface RedactorOptions {
  /** Source of a regular expression for secrets that are known by their form, of 16 or more characters. */
  readonly form?: string;
  /** What is shown in place of a secret, as it is written in the text. */
  readonly shown?: (written: string) => string;
}

const MIN_FORM_CHARACTERS = 16;

/**
 * Creates a function that redacts secrets in texts, in each way that a service or a tool may write
 * them: plain, in base64 and hexadecimal digits, and with the escapes of JSON, URLs, forms and HTML in
 * any combination.
 */
export function redactor(
  secrets: readonly string[],
  { form, shown = () => '[redacted]' }: RedactorOptions = {},
): Redact {
  const known = [...new Set(secrets.flatMap(pieces))].sort((a, b) => b.length - a.length);
  const patterns = known.map(patternOf).concat(form ?? []);
  const shortest = Math.min(
    known.at(-1)?.length ?? Infinity,
    form ? MIN_FORM_CHARACTERS : Infinity,
  );
  const secret = new RegExp(patterns.join('|'), 'g');
  const find = (text: string, levels = MAX_DECODED): Span[] => {
    const spans = plainSpans(text, secret);
    if (shortest < MIN_SECRET_CHARACTERS || levels === 0) return spans;
    const inner = (read: string): Span[] => find(read, LONG_RUN.test(read) ? levels - 1 : 0);
    return spans.concat(base64Spans(text, inner, shortest), hexSpans(text, inner, shortest));
  };
  return (text) => replaceSpans(text, spansIn(text, find, MAX_NESTED, new Set([text])), shown);
}

/** The longest secret that is looked for as a whole: a regular expression has at most 32,767 characters. */
const MAX_PIECE = 16_384;

/** Parts of about the same length, which are redacted together where they are adjacent. */
function pieces(secret: string): string[] {
  const count = Math.max(1, Math.ceil(secret.length / MAX_PIECE));
  const length = Math.ceil(secret.length / count);
  return Array.from({ length: count }, (_, at) => secret.slice(at * length, (at + 1) * length));
}

/** A form encodes a space as a plus sign, and the text may be decoded without regard to that. */
function patternOf(secret: string): string {
  return secret.replace(/[\\^$.*?()[\]{}|/]/g, String.raw`\$&`).replace(/[ +]/g, '[ +]');
}

function plainSpans(text: string, secret: RegExp): Span[] {
  const spans: Span[] = [];
  secret.lastIndex = 0;
  for (let match = secret.exec(text); match !== null; match = secret.exec(text)) {
    spans.push({ start: match.index, end: match.index + match[0].length });
    // Secrets may overlap.
    secret.lastIndex = match.index + 1;
  }
  return spans;
}

const BASE64 = /[\w+/-]+/g;
/** What is decoded is searched for what may be decoded again only if it has this: most has not. */
const LONG_RUN = /[\w+/-]{16}/;

type Find = (text: string) => Span[];

/** Secrets within base64: the bytes before them decide at which of four characters they begin. */
function base64Spans(text: string, find: Find, shortest: number): Span[] {
  const spans: Span[] = [];
  for (const { index, 0: run } of text.matchAll(BASE64)) {
    if (run.length < Math.floor((shortest * 4) / 3)) continue;
    for (let skipped = 0; skipped < 4; skipped += 1) {
      const at = (byte: number): number => index + skipped + (byte * 4) / 3;
      const read = Buffer.from(run.slice(skipped), 'base64').toString('latin1');
      for (const { start, end } of find(read)) {
        spans.push({ start: Math.floor(at(start)), end: Math.ceil(at(end)) });
      }
    }
  }
  return spans;
}

const HEX = /[0-9a-f]{16,}/gi;

/** Secrets within hexadecimal digits, of which two are a byte. */
function hexSpans(text: string, find: Find, shortest: number): Span[] {
  const spans: Span[] = [];
  for (const { index, 0: run } of text.matchAll(HEX)) {
    if (run.length < shortest * 2) continue;
    for (const skipped of [0, 1]) {
      const from = index + skipped;
      const read = Buffer.from(run.slice(skipped), 'hex').toString('latin1');
      for (const { start, end } of find(read)) {
        spans.push({ start: from + start * 2, end: from + end * 2 });
      }
    }
  }
  return spans;
}

/** The spans of secrets in a text, in each spelling; `seen` are texts that were searched. */
function spansIn(
  text: string,
  find: (text: string) => Span[],
  levels: number,
  seen: Set<string>,
): Span[] {
  const spans = find(text);
  if (levels === 0 || !ESCAPED.test(text)) return spans;
  const escaped = SPELLINGS.flatMap((spelling) => {
    const read = text.replace(spelling.escape, spelling.read);
    if (seen.has(read)) return [];
    seen.add(read);
    const inner = spansIn(read, find, levels - 1, seen);
    return inner.length === 0 ? [] : sourceSpans(text, spelling, inner);
  });
  return spans.concat(escaped);
}

/** The spans in `text` of spans in what it reads as. */
function sourceSpans(text: string, { escape, read }: Spelling, spans: readonly Span[]): Span[] {
  /** For each character of the read text, where it begins in `text`. */
  const places: number[] = [];
  let rest = 0;
  const plainUpTo = (end: number): void => {
    for (; rest < end; rest += 1) places.push(rest);
  };
  for (const { index, 0: escaped } of text.matchAll(escape)) {
    plainUpTo(index);
    for (let unit = read(escaped).length; unit > 0; unit -= 1) places.push(index);
    rest = index + escaped.length;
  }
  plainUpTo(text.length + 1);
  return spans.map(({ start, end }) => ({ start: places[start] ?? 0, end: places[end] ?? rest }));
}

/** Replaces the spans, which may overlap. */
function replaceSpans(
  text: string,
  spans: readonly Span[],
  shown: (written: string) => string,
): string {
  if (spans.length === 0) return text;
  let redacted = '';
  let rest = 0;
  const sorted = [...spans].sort((a, b) => a.start - b.start);
  for (let at = 0; at < sorted.length;) {
    const start = sorted[at]?.start ?? 0;
    let end = start;
    for (; at < sorted.length && (sorted[at]?.start ?? 0) <= end; at += 1) {
      end = Math.max(end, sorted[at]?.end ?? 0);
    }
    redacted += text.slice(rest, start) + shown(text.slice(start, end));
    rest = end;
  }
  return redacted + text.slice(rest);
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
