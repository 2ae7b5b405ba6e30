import { nativeOrUndefined } from '../json/index.ts';

/**
 * The texts in a paste that may be a launch: without the `> ` of a mail, extracted from a log line,
 * and with wrapped lines joined.
 */
export function* pastedTexts(text: string): Generator<string> {
  const unquoted = withoutQuoteMarks(text);
  if (unquoted !== text) yield unquoted;
  yield* objectsIn(unquoted);
  for (const [token] of unquoted.matchAll(WRAPPED_TOKEN)) yield token.replace(/\s+/g, '');
  // JSON within a string of a log line.
  if (ESCAPED_OBJECT.test(unquoted)) yield* objectsIn(unquoted.replaceAll('\\"', '"'));
}

/** Base64 of `{"`, and what follows it up to a space or an empty line. */
const WRAPPED_TOKEN = /(?<![\w.-])eyJ(?:[\w.-]|[ \t]*\r?\n[ \t]*(?=[\w.-]))+/g;
const ESCAPED_OBJECT = /\{\s*\\"/;
const CURLY_JSON = /[{[,:]\s*[“”„‟]/;
/** More objects are not searched: a launch comes before them. */
const MAX_OBJECTS = 50;

/** Why no launch was found in a paste; undefined if unknown. */
export function faultOfPaste(text: string): string | undefined {
  if (CURLY_JSON.test(text)) {
    return 'it has curly quotes (“ ”) where JSON has straight ones ("): copy it again as plain text';
  }
  const unquoted = withoutQuoteMarks(text).trim();
  const isObject = unquoted.startsWith('{');
  const isCut = isObject ? endOfObject(unquoted, 0) === undefined : CUT_TOKEN.test(unquoted);
  return isCut ? 'it ends too early: copy it again to its end' : undefined;
}

/** A token of fewer than three parts. */
const CUT_TOKEN = /^eyJ[\w-]*(?:\s+[\w-]+)*(?:\.[\w\s-]*)?$/;

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
  return json.replace(/"(?:[^"\\]|\\[^])*"?/g, (string) =>
    string.split('\n').reduce((before, line) => {
      const [head, tail] = [before.trimEnd(), line.trimStart()];
      const isWord = Math.max(lastWord(head).length, tail.search(/\s|$/)) < LONG_WORD;
      return `${head}${isWord ? ' ' : ''}${tail}`;
    }),
  );
}

function lastWord(text: string): string {
  return text.slice(text.lastIndexOf(' ') + 1);
}

/** Only a longer word can be wrapped within. */
const LONG_WORD = 30;
