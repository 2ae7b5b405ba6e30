import { isLossyNumber, JsonNumber } from '../json/index.ts';

const DECIMAL = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** Reads a number as people and JSON write it; one with a decimal comma is none. */
export function readDecimal(text: string): number | undefined {
  return DECIMAL.test(text) ? Number(text) : undefined;
}

/** Whether a number that `readDecimal` takes is another one once it has been read. */
export function losesDigits(text: string): boolean {
  // As nearly all numbers are: fifteen digits are always held.
  if (text.length <= 15 && !/e/i.test(text)) return false;
  const json = text
    .replace(/^\+/, '')
    .replace(/^(-?)0*(?=\d)/, '$1')
    .replace(/^(-?)\./, '$10.')
    .replace(/\.(?=e|$)/i, '');
  return isLossyNumber(new JsonNumber(json));
}
