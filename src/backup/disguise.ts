import { createCipheriv, createHash, createHmac } from 'node:crypto';
import { type Json, JsonNumber } from '../json/index.ts';

/** Replaces a text by one of the same length and kind of letters; equal texts stay equal. */
export type Disguise = (text: string) => string;

/**
 * Letters and digits by their case and their bytes in UTF-8; other characters stay. A text keeps its
 * size, its case and its punctuation.
 */
const ALPHABETS: readonly (readonly [RegExp, letters: readonly string[]])[] = [
  [/[a-z]/, lettersFrom('a', 26)],
  [/[A-Z]/, lettersFrom('A', 26)],
  [/[0-9]/, lettersFrom('0', 10)],
  [/[\u0080-\u07ff]/u, lettersFrom('à', 22)],
  [/[\u0800-\uffff]/u, lettersFrom('一', 4096)],
  [/./u, lettersFrom('\u{20000}', 4096)],
];
const UPPER = lettersFrom('À', 22);
const REPLACED = /[\p{L}\p{M}\p{N}]/gu;

function lettersFrom(first: string, count: number): string[] {
  const start = first.codePointAt(0) ?? 0;
  return Array.from({ length: count }, (_, at) => String.fromCodePoint(start + at));
}

/** A disguise by a keyed hash (HMAC) with this salt: the same salt gives the same texts. */
export function disguiseWith(salt: string): Disguise {
  return (text) => {
    const letters = keystream(salt, text);
    return text.replace(REPLACED, (letter) => {
      const [, alphabet = []] = ALPHABETS.find(([kind]) => kind.test(letter)) ?? [];
      const isUpper = alphabet[0] === 'à' && letter !== letter.toLowerCase();
      return (isUpper ? UPPER : alphabet)[letters() % alphabet.length] ?? letter;
    });
  };
}

/** Numbers that only the salt and the text decide: the HMAC is the key of a stream cipher. */
function keystream(salt: string, text: string): () => number {
  const key = createHmac('sha256', createHash('sha256').update(salt).digest()).update(text);
  const cipher = createCipheriv('aes-256-ctr', key.digest(), Buffer.alloc(16));
  const bytes = cipher.update(Buffer.alloc(4 * text.length));
  let at = -4;
  return () => bytes.readUInt32LE((at += 4));
}

/**
 * A JSON value with every text and number replaced. Names, `true`, `false`, `null` and 0 stay, and a
 * number keeps its sign, its digits before and after the point, and its exponent.
 */
export function disguiseJson(value: Json, disguise: Disguise): Json {
  if (typeof value === 'string') return disguise(value);
  if (value instanceof JsonNumber) return new JsonNumber(disguiseNumber(value.text, disguise));
  if (Array.isArray(value)) return value.map((each) => disguiseJson(each, disguise));
  if (!(value instanceof Map)) return value;
  return new Map([...value].map(([name, each]) => [name, disguiseJson(each, disguise)]));
}

function disguiseNumber(text: string, disguise: Disguise): string {
  const [, sign = '', first = '', digits = '', exponent = ''] =
    /^(-?)(\d)([\d.]*)([^]*)$/.exec(text) ?? [];
  // A number has no leading zero, and one that starts with 0 is below 1.
  const letters = disguise(`${first}${digits}`);
  const leading = first === '0' ? '0' : String(1 + (Number(letters[0]) % 9));
  return sign + leading + letters.slice(1) + exponent;
}
