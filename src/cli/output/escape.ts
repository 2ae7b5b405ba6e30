/**
 * Makes a text safe to show: a service's text could otherwise move the cursor, recolour the screen
 * or reorder what is read. Control, format, private and unpaired characters are shown as `\u{…}`.
 */
const unsafe = (): RegExp => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu;

/** Most texts have no other characters: V8 takes as long to make the expression above as to show a row. */
const ALWAYS_SAFE = /^[ -~]*$/;
const ALWAYS_SAFE_LINES = /^[\n -~]*$/;

/** For one cell or line: every unsafe character, line breaks and tabs included. */
export function escapeText(text: string): string {
  return ALWAYS_SAFE.test(text) ? text : text.replace(unsafe(), shown);
}

/** For several lines of our own layout around untrusted parts: line breaks stay. */
export function escapeLines(text: string): string {
  if (ALWAYS_SAFE_LINES.test(text)) return text;
  return text.replace(unsafe(), (character) => (character === '\n' ? '\n' : shown(character)));
}

/**
 * For JSON on a terminal: the document stays valid, and means the same. Of its white space a carriage
 * return becomes a line break: it would let one part of a line be written over another.
 */
export function escapeJson(json: string): string {
  if (ALWAYS_SAFE_LINES.test(json)) return json;
  return json.replace(unsafe(), (character) => {
    if (character === '\n' || character === '\t') return character;
    return character === '\r' ? '\n' : unitEscapes(character);
  });
}

/** One or two code units as JSON writes them. */
function unitEscapes(character: string): string {
  return [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('');
}

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function shown(character: string): string {
  return NAMED[character] ?? `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
}
