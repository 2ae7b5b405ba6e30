/**
 * Makes a text safe to show: a service's text could otherwise move the cursor, recolour the screen
 * or reorder text. Control, format, private and unpaired characters are shown as `\u{…}`. A joiner
 * within a word of Persian or Hindi, or within an emoji, is a part of its spelling.
 */
export const unsafe = (): RegExp =>
  /(?!(?<=[\p{L}\p{M}\p{EPres}\p{EMod}])(?<!\p{sc=Latn})[\u200C\u200D][\p{L}\p{M}\p{ExtPict}])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu;

/** Covers most texts: compiling the expression above takes V8 as long as showing a row. */
const ALWAYS_SAFE = /^[ -~]*$/;
const ALWAYS_SAFE_LINES = /^[\n -~]*$/;

/** For one cell or line: escapes every unsafe character, including line breaks and tabs. */
export function escapeText(text: string): string {
  return ALWAYS_SAFE.test(text) ? text : text.replace(unsafe(), shown);
}

/** For several lines of our own layout around untrusted parts: keeps line breaks. */
export function escapeLines(text: string): string {
  if (ALWAYS_SAFE_LINES.test(text)) return text;
  return text.replace(unsafe(), (character) => (character === '\n' ? '\n' : shown(character)));
}

/**
 * For JSON on a terminal: the document stays valid and equivalent. A carriage return outside
 * strings becomes a line break, because it could overwrite a part of the line.
 */
export function escapeJson(json: string): string {
  if (ALWAYS_SAFE_LINES.test(json)) return json;
  return json.replace(unsafe(), (character) => {
    if (character === '\n' || character === '\t') return character;
    return character === '\r' ? '\n' : unitEscapes(character);
  });
}

/** One or two code units as JSON escapes. */
function unitEscapes(character: string): string {
  return [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('');
}

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function shown(character: string): string {
  return NAMED[character] ?? `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
}
