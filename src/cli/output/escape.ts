/**
 * Makes a text safe to show: a service's text could otherwise move the cursor, recolour the screen
 * or reorder what is read. Control, format, private and unpaired characters are shown as `\u{…}`.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu;

/** For one cell or line: every unsafe character, line breaks and tabs included. */
export function escapeText(text: string): string {
  return text.replace(UNSAFE, shown);
}

/** For several lines of our own layout around untrusted parts: line breaks stay. */
export function escapeLines(text: string): string {
  return text.replace(UNSAFE, (character) => (character === '\n' ? '\n' : shown(character)));
}

/**
 * For JSON on a terminal: the document stays valid, and means the same. Of its white space a carriage
 * return becomes a line break: it would let one part of a line be written over another.
 */
export function escapeJson(json: string): string {
  return json.replace(UNSAFE, (character) => {
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
