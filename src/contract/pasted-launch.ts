import { nativeOrUndefined } from '../json/index.ts';
import { DUMP_START, readDump, unescaped } from './dump.ts';
import { htmlText, mailTexts, percentDecoded, unquotedText, withoutEntities } from './mail.ts';

/**
 * The texts in a paste that may be a launch: the parts of a saved mail, without the marks and
 * prefixes of lines, unescaped, extracted from a log line, with wrapped lines joined, and dumps as
 * JSON.
 */
export function* pastedTexts(text: string): Generator<string> {
  for (const plain of plainTexts(text)) {
    if (plain !== text) yield plain;
    yield* objectsIn(plain);
    for (const token of tokensIn(plain)) {
      yield token;
      // The end of a sentence.
      if (token.endsWith('.')) yield token.slice(0, -1);
    }
    if (SPACED_TOKEN.test(plain)) yield plain.replace(/\s+/g, '');
    yield* dumpsIn(plain);
  }
}

/** A paste as its author saw it: of a mail each part, and without the marks before each line. */
function plainTexts(text: string): string[] {
  const mail = mailTexts(text);
  const read = mail.length > 0 ? mail : [text.replace(TERMINAL_CODE, '')];
  const parts = read.flatMap((each) =>
    SOFT_BREAKS.test(each) ? [each, unquotedText(each)] : [each],
  );
  const plain = parts.map((part) => withoutPrefixes(withoutDiffMarks(withoutQuoteMarks(part))));
  return ESCAPINGS.reduce(
    (texts, [shows, undo]) => texts.flatMap((each) => (shows.test(each) ? undo(each) : [each])),
    plain,
  );
}

/** Colors of a terminal. */
const TERMINAL_CODE = new RegExp(String.raw`\u001b\[[\d;?]*[A-Za-z]`, 'g');
/** Long lines that were wrapped as in quoted-printable: a part of a mail's source. */
const SOFT_BREAKS = /^.{60,}=[ \t]*$/m;

/** How a program or a file escapes JSON, from outside in: what shows it, and the texts to try. */
const ESCAPINGS: readonly (readonly [shows: RegExp, undo: (text: string) => string[]])[] = [
  [
    /&(?:quot|amp|apos|#\d+|#x[\da-f]+);|<\/\w+>/i,
    // In an attribute of HTML the text is JSON before it is unescaped, with wrong addresses.
    (text) => [text.trimStart().startsWith('<') ? withoutEntities(text) : text, htmlText(text)],
  ],
  // A command line of cmd, and of PowerShell.
  [/\^\^?["\\]/, (text) => [text, text.replace(/\^([^])/g, '$1')]],
  [/`"/, (text) => [text, text.replace(/`([^])/g, '$1')]],
  [/%7B(?:%20|%0A)*%22/i, (text) => [text, percentDecoded(text)]],
  // A cell of CSV.
  [/\{\s*""\w/, (text) => [text, text.replaceAll('""', '"')]],
  // A string of JSON or of a shell.
  [/\{\s*(?:\\[nrt]\s*)*\\(?:"|x22|u0022)|\\r\\n/, (text) => [text, unescaped(text)]],
];

/** What chats and wikis put into long words; a token has none of it. */
const INVISIBLE = '\\u00ad\\u200b-\\u200d\\u2060\\ufeff';
/** Base64 of `{"`, and what follows it up to a space or an empty line; a shell continues after `\\`. */
const WRAPPED_TOKEN = new RegExp(
  String.raw`(?<![\w.-])eyJ(?:[\w.${INVISIBLE}-]|[ \t]*\\?\r?\n[ \t]*(?=[\w.-]))+`,
  'g',
);
const NOT_OF_TOKEN = new RegExp(String.raw`[\s\\${INVISIBLE}]+`, 'g');
/** A token alone, with spaces where it was wrapped. */
const SPACED_TOKEN = /^\s*eyJ[\w-]*(?:\s+[\w-]+)*(?:\.[\w-]*(?:\s+[\w-]+)*){2}\s*$/;
const CURLY_JSON = /[{[,:]\s*[“”„‟‘’‚]/;
/** More objects are not searched: a launch comes before them. */
const MAX_OBJECTS = 50;

/** Why no launch was found in a paste; undefined if unknown. */
export function faultOfPaste(text: string): string | undefined {
  const plain = plainTexts(text);
  if (plain.some((each) => CURLY_JSON.test(each))) {
    return 'it has curly quotes (“ ” ‘ ’) where JSON has straight ones ("): copy it again as plain text';
  }
  if (plain.some(isElided)) return 'a part of it is left out (...): copy the whole of it';
  return plain.some(isCut) ? 'it ends too early: copy it again to its end' : undefined;
}

function isCut(text: string): boolean {
  const trimmed = text.trim();
  const start = trimmed.search(/^\{|\{\s*"/);
  if (start >= 0) return endOfObject(trimmed, start) === undefined;
  const tokens = tokensIn(trimmed).map((token) => token.replace(/\.{2,}$/, ''));
  return CUT_TOKEN.test(trimmed) || tokens.some((token) => CUT_TOKEN.test(token));
}

/** In place of the members of an object or a list, as a console shows it. */
const ELISION = /[{[] ?(?:…|\.{3}) ?[}\]]|\[(?:Array|Object|Circular[^\]]*)\]|\.{3} \d+ more /;

/** Whether members are left out, or a part of a token. */
function isElided(text: string): boolean {
  return ELISION.test(text) || tokensIn(text).some((token) => /\.{3,}[\w-]/.test(token));
}

function tokensIn(text: string): string[] {
  return [...text.matchAll(WRAPPED_TOKEN)].map(([token]) => token.replace(NOT_OF_TOKEN, ''));
}

/** A token of fewer than three parts. */
const CUT_TOKEN = /^eyJ[\w-]*(?:\s+[\w-]+)*(?:\.[\w\s-]*)?$/;

/** The lines after a change; those before it if it removed the file. */
function withoutDiffMarks(text: string): string {
  if (!/^(?:@@ |diff --git |\+\+\+ )/m.test(text)) return text;
  const other = /^\+\+\+ \/dev\/null/m.test(text) ? '+' : '-';
  const isLine = (line: string): boolean =>
    !line.startsWith(other) && !/^(?:@@ |diff |index |--- |\+\+\+ )/.test(line);
  const lines = text.split(/\r?\n/).filter(isLine);
  return lines.map((line) => line.replace(/^[-+ ]/, '')).join('\n');
}

/**
 * Without the text that each line of a log or listing begins with, where only numbers and spaces
 * differ: `web-1  | `, or a time, host and process. Lines between without it are of something else.
 */
function withoutPrefixes(text: string): string {
  const lines = text.split(/\r?\n/);
  const first = lines.findIndex((line) => LAUNCH_START.test(line));
  const [start = '', next] = lines.slice(first, first + 2);
  if (first < 0 || next === undefined) return text;
  let prefix = start.slice(0, Math.min(start.search(LAUNCH_START), LONGEST_PREFIX));
  while (!shapeOf(prefix).test(next)) prefix = prefix.slice(0, -1);
  if (!/\d|\S\s*\S|[-+#|]/.test(prefix)) return text;
  const shape = shapeOf(prefix);
  const own = lines.slice(first).filter((line) => shape.test(line));
  return own.map((line) => line.replace(shape, '')).join('\n');
}

const LAUNCH_START = /\{|\barray\b|\beyJ/i;
const LONGEST_PREFIX = 200;

function shapeOf(prefix: string): RegExp {
  const text = prefix.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  // Numbers stay apart, for the pattern to match in one way only.
  return new RegExp(`^${text.replace(/\d+/g, '\\d+').replace(/(?<!\\d\+) +/g, ' *')}`);
}

/** What programs print of an object, as JSON. */
function* dumpsIn(text: string): Generator<string> {
  let end = 0;
  let tried = 0;
  for (const { index } of text.matchAll(DUMP_START)) {
    if (index < end || (tried += 1) > MAX_OBJECTS) continue;
    const dump = readDump(text, index);
    // A part of a truncated launch is not a launch.
    if (dump === undefined && text.slice(0, index).trim() === '') return;
    if (dump === undefined) continue;
    yield dump.json;
    end = dump.end;
  }
}

function withoutQuoteMarks(text: string): string {
  return text.replace(/^[ \t]*(?:>[ \t]?)+/gm, '');
}

function* objectsIn(text: string): Generator<string> {
  let from = text.indexOf('{');
  for (let tried = 0; from !== -1 && tried < MAX_OBJECTS; tried += 1) {
    const end = endOfObject(text, from);
    // A part of a truncated launch is not a launch.
    if (end === undefined && text.slice(0, from).trim() === '') return;
    const objects = end === undefined ? [] : joinedLines(text.slice(from, end));
    const whole = objects.find((json) => nativeOrUndefined(json) !== undefined);
    if (whole !== undefined) yield whole;
    from = text.indexOf('{', whole === undefined ? from + 1 : end);
  }
}

/** The position after the brace that closes the one at `from`. */
function endOfObject(text: string, from: number): number | undefined {
  let depth = 0;
  let isInString = false;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (isInString && character === '\\') at += 1;
    else if (character === '"') isInString = !isInString;
    else if (!isInString && character === '{') depth += 1;
    else if (!isInString && character === '}') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return undefined;
}

/** JSON unchanged, then with lines joined that were wrapped at a width, then within strings. */
function joinedLines(json: string): string[] {
  const lines = json.split(/\r?\n/);
  if (lines.length === 1) return lines;
  const widths = new Set(lines.slice(1, -1).map((line) => line.length));
  return [json, ...(widths.size > 1 ? [] : [lines.join('')]), joinedStrings(json)];
}

/** Within a string, words are joined with a space, the pieces of a token or URL without one. */
function joinedStrings(json: string): string {
  return json.replace(/"(?:[^"\\]|\\[^])*"?/g, (string) => {
    const lines = string.split('\n').flatMap((line) => line.trim() || []);
    return lines.map((line, at) => `${separator(lines[at - 1], line)}${line}`).join('');
  });
}

function separator(before: string | undefined, line: string): string {
  if (before === undefined) return '';
  const last = before.length - before.lastIndexOf(' ') - 1;
  return Math.max(last, line.search(/\s|$/)) < LONG_WORD ? ' ' : '';
}

/** Only a longer word can be wrapped within. */
const LONG_WORD = 30;
