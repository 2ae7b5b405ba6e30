import { type Json, JsonNumber } from './value.ts';

/** Whether two values are the same: numbers by their text, objects whatever the order of members. */
export function jsonEqual(a: Json, b: Json): boolean {
  const pending: (readonly [Json, Json])[] = [[a, b]];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [left, right] = pair;
    if (left === right) continue;
    if (!pushMembers(left, right, pending) && !sameNumber(left, right)) return false;
  }
  return true;
}

function sameNumber(left: Json, right: Json): boolean {
  return left instanceof JsonNumber && right instanceof JsonNumber && left.text === right.text;
}

/** Lines up the members of two containers for comparison; false when they cannot be equal. */
function pushMembers(left: Json, right: Json, pending: (readonly [Json, Json])[]): boolean {
  if (Array.isArray(left) && Array.isArray(right) && left.length === right.length) {
    left.forEach((value, index) => pending.push([value, right[index] as Json]));
    return true;
  }
  if (!(left instanceof Map && right instanceof Map) || left.size !== right.size) return false;
  for (const [name, value] of left) {
    const other = right.get(name);
    if (other === undefined) return false;
    pending.push([value, other]);
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

/** A decimal text in one form for each value. */
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
