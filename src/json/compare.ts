import { type Json, JsonNumber } from './value.ts';

/** Whether two values are the same: numbers by their text, objects whatever the order of members. */
export function jsonEqual(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (a instanceof JsonNumber) return b instanceof JsonNumber && a.text === b.text;
  if (a instanceof Map) {
    if (!(b instanceof Map) || a.size !== b.size) return false;
    for (const [name, each] of a) {
      const other = b.get(name);
      if (other === undefined || !jsonEqual(each, other)) return false;
    }
    return true;
  }
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  for (const [index, each] of a.entries()) {
    if (!jsonEqual(each, b[index] as Json)) return false;
  }
  return true;
}

/** Whether a number changes its value when JavaScript holds it: 2^53+1, 1e400, or too many digits. */
export function isLossyNumber({ text }: JsonNumber): boolean {
  // Fifteen digits are always held.
  if (text.length <= 15 && !/e/i.test(text)) return false;
  const held = Number(text);
  return !Number.isFinite(held) || decimal(text) !== decimal(String(held));
}

/** Whether a number is from 0 to 1 by its digits: 1.0000000000000000001 is not, though it reads as 1. */
export function isFraction({ text }: JsonNumber): boolean {
  const { digits, power, isNegative } = partsOf(text);
  if (digits === '') return true;
  const isBelowOne = digits.length + power <= 0;
  return !isNegative && (isBelowOne || (digits === '1' && power === 0));
}

function decimal(text: string): string {
  const { digits, power, isNegative } = partsOf(text);
  return digits === '' ? '0' : `${isNegative ? '-' : ''}${digits}e${power}`;
}

/** The significant digits of a number, none for zero, and the power of ten below them. */
function partsOf(text: string): { digits: string; power: number; isNegative: boolean } {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = whole + fraction;
  let start = 0;
  while (digits[start] === '0') start++;
  let end = digits.length;
  while (end > start && digits[end - 1] === '0') end--;
  return {
    digits: digits.slice(start, end),
    power: Number(exponent) - fraction.length + digits.length - end,
    isNegative: text.startsWith('-'),
  };
}
