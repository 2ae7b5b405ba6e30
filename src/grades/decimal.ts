import { isLossyNumber, JsonNumber } from '../json/index.ts';

const DECIMAL = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** Reads a decimal number; undefined for other text, also for a number with a decimal comma. */
export function readDecimal(text: string): number | undefined {
  return DECIMAL.test(text) ? Number(text) : undefined;
}

/** Whether a number that `readDecimal` accepts has more digits than a JavaScript number holds. */
export function losesDigits(text: string): boolean {
  // Nearly all numbers: fifteen digits are always exact.
  if (text.length <= 15 && !/e/i.test(text)) return false;
  const json = text
    .replace(/^\+/, '')
    .replace(/^(-?)0*(?=\d)/, '$1')
    .replace(/^(-?)\./, '$10.')
    .replace(/\.(?=e|$)/i, '');
  return isLossyNumber(new JsonNumber(json));
}
