import { type Json, JsonNumber, type JsonObject } from './value.ts';

/**
 * Whether two values are the same: numbers by their text, objects whatever the order of members.
 * Linear in the smaller value; does not recurse.
 */
export function jsonEqual(a: Json, b: Json): boolean {
  const pending: Json[] = [];
  if (!isEqualSoFar(a, b, pending)) return false;
  for (let right = pending.pop(); right !== undefined; right = pending.pop()) {
    if (!haveEqualMembers(pending.pop() as Json, right, pending)) return false;
  }
  return true;
}

/** Compares scalars; two objects or two arrays of one size are left for later. */
function isEqualSoFar(left: Json, right: Json, pending: Json[]): boolean {
  if (left === right) return true;
  if (left instanceof JsonNumber) return right instanceof JsonNumber && left.text === right.text;
  const isPair =
    left instanceof Map
      ? right instanceof Map && left.size === right.size
      : Array.isArray(left) && Array.isArray(right) && left.length === right.length;
  if (isPair) pending.push(left, right);
  return isPair;
}

function haveEqualMembers(left: Json, right: Json, pending: Json[]): boolean {
  if (left instanceof Map) {
    for (const name of left.keys()) {
      const other = (right as JsonObject).get(name);
      if (other === undefined || !isEqualSoFar(left.get(name) as Json, other, pending))
        return false;
    }
    return true;
  }
  const [elements, others] = [left as Json[], right as Json[]];
  for (let index = 0; index < elements.length; index++) {
    if (!isEqualSoFar(elements[index] as Json, others[index] as Json, pending)) return false;
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
