import { isWhiteSpace } from './characters.ts';

/** A text, and how far it has been read: an offset in UTF-16 units. */
export interface Cursor {
  readonly text: string;
  at: number;
}

/** Moves the cursor to the next character that is not JSON white space, or to the end of the text. */
export function skipWhiteSpace(cursor: Cursor): void {
  const { text } = cursor;
  let at = cursor.at;
  while (isWhiteSpace(text.charCodeAt(at))) at++;
  cursor.at = at;
}
