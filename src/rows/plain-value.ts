import { matchedElements } from '../diff/elements.ts';
import { InvalidError } from '../errors.ts';
import {
  formatPointer,
  isLossyNumber,
  isPlainObject,
  type Json,
  jsonEqual,
  JsonNumber,
  MAX_LEVELS,
  toNative,
} from '../json/index.ts';

/**
 * Turns a value of a script into JSON, as `JSON.stringify` does, but refuses a value that would be
 * changed or left out silently. Only a member that is `undefined` is left out. Infinity is accepted
 * here, since `JSON.parse` makes it from numbers such as 1e400; `withDigits` refuses a new one.
 *
 * @throws {InvalidError} `body.syntax`; the message has the pointer
 */
export function plainJson(
  value: unknown,
  levels = MAX_LEVELS,
  tokens: readonly string[] = [],
): Json {
  const plain = hasToJson(value) ? value.toJSON() : value;
  if (typeof plain === 'string' || typeof plain === 'boolean' || plain === null) return plain;
  if (typeof plain === 'number' && !Number.isNaN(plain)) {
    return new JsonNumber(Object.is(plain, -0) ? '-0' : String(plain));
  }
  if (typeof plain === 'number' || plain === undefined) return refuse(tokens, String(plain));
  if (typeof plain !== 'object') return refuse(tokens, `a ${typeof plain}`);
  if (tokens.length === levels) return refuse(tokens, `nested over ${MAX_LEVELS} levels deep`);
  if (Array.isArray(plain)) {
    return Array.from(plain, (each, index) => plainJson(each, levels, [...tokens, String(index)]));
  }
  if (!isPlainObject(plain)) return refuse(tokens, `an object of class ${plain.constructor.name}`);
  return new Map(
    Object.entries(plain)
      .filter(([, each]) => each !== undefined)
      .map(([name, each]) => [name, plainJson(each, levels, [...tokens, name])]),
  );
}

function hasToJson(value: unknown): value is { toJSON: () => unknown } {
  return typeof (value as { toJSON?: unknown } | null | undefined)?.toJSON === 'function';
}

function refuse(tokens: readonly string[], what: string): never {
  throw new InvalidError(`the value at ${shown(tokens)} is ${what}, which cannot be sent as JSON`, {
    code: 'body.syntax',
    hint: 'use null, booleans, strings, finite numbers, arrays and plain objects',
  });
}

function shown(tokens: readonly string[]): string {
  const pointer = formatPointer(tokens);
  return JSON.stringify(pointer.length > 200 ? `${pointer.slice(0, 200)}…` : pointer);
}

/**
 * Restores the digits that numbers lost in `JSON.parse`: a script got `exact` as plain values, and
 * made `wanted` from it. A number that stayed in its place, also in an array whose
 * elements moved along, is written as in `exact`.
 *
 * @throws {InvalidError} `body.lossy_number`: a number that JavaScript cannot hold was moved elsewhere;
 *   `body.syntax`: Infinity
 */
export function withDigits(exact: Json, wanted: Json): Json {
  const numbers = numbersOf(exact);
  const lossy = new Map(
    numbers.filter(isLossyNumber).map((each) => [String(Number(each.text)), each.text]),
  );
  const restored = numbers.some(({ text }) => text !== String(Number(text)))
    ? restore(exact, plainJson(toNative(exact)), wanted)
    : wanted;
  refuseRounded(restored, { lossy, kept: new Set(numbers), tokens: [] });
  return restored;
}

function numbersOf(value: Json): JsonNumber[] {
  if (value instanceof JsonNumber) return [value];
  if (value instanceof Map || Array.isArray(value)) return [...value.values()].flatMap(numbersOf);
  return [];
}

function restore(exact: Json, read: Json, wanted: Json): Json {
  if (exact instanceof JsonNumber) return jsonEqual(read, wanted) ? exact : wanted;
  if (exact instanceof Map && read instanceof Map && wanted instanceof Map) {
    return new Map(
      [...wanted].map(([name, each]) => [
        name,
        restoreMember(exact.get(name), read.get(name), each),
      ]),
    );
  }
  if (Array.isArray(exact) && Array.isArray(read) && Array.isArray(wanted)) {
    const restored = [...wanted];
    for (const [at, other] of matchedElements(read, wanted)) {
      restored[other] = restoreMember(exact[at], read[at], wanted[other] as Json);
    }
    return restored;
  }
  return wanted;
}

function restoreMember(exact: Json | undefined, read: Json | undefined, wanted: Json): Json {
  return exact === undefined || read === undefined ? wanted : restore(exact, read, wanted);
}

interface NumberPlace {
  /** The numbers of the row that JavaScript cannot hold, by what it holds instead. */
  readonly lossy: ReadonlyMap<string, string>;
  /** The numbers that have their own digits. */
  readonly kept: ReadonlySet<JsonNumber>;
  readonly tokens: readonly string[];
}

function refuseRounded(value: Json, place: NumberPlace): void {
  const { lossy, kept, tokens } = place;
  if (value instanceof Map || Array.isArray(value)) {
    for (const [token, each] of value.entries()) {
      refuseRounded(each, { lossy, kept, tokens: [...tokens, String(token)] });
    }
  }
  if (!(value instanceof JsonNumber) || kept.has(value)) return;
  const digits = lossy.get(value.text);
  if (digits !== undefined) {
    const what = `the value at ${shown(tokens)} may be ${digits}, which JavaScript reads as ${value.text}`;
    throw new InvalidError(what, {
      code: 'body.lossy_number',
      hint: 'leave such a number in its place, or send its digits with lectern storage patch',
    });
  }
  if (!Number.isFinite(Number(value.text))) refuse(tokens, value.text);
}
