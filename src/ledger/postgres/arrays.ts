/**
 * Arrays as parameters, in PostgreSQL's binary form. pg would write them as text, with a backslash before
 * each quote of a response: both sides take longer for that than for the rest of a row.
 */

type Nullable<Value> = readonly (Value | null)[];

/** The object identifiers of the element types, which are fixed. */
const ELEMENT = { bytea: 17, bigint: 20, integer: 23, text: 25, uuid: 2950 };

const NULL_LENGTH = -1;
/** Dimensions, whether there are nulls, the element type, the count, and the first index. */
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const UUID_BYTES = 16;
const TWO_TO_32 = 2 ** 32;

export function bigintArray(values: Nullable<number>): Buffer {
  return arrayOf(ELEMENT.bigint, values, {
    size: () => 8,
    write: (into, value, at) => {
      const high = Math.floor(value / TWO_TO_32);
      into.writeInt32BE(high, at);
      return into.writeUInt32BE(value - high * TWO_TO_32, at + 4);
    },
  });
}

export function integerArray(values: Nullable<number>): Buffer {
  return arrayOf(ELEMENT.integer, values, {
    size: () => 4,
    write: (into, value, at) => into.writeInt32BE(value, at),
  });
}

export function textArray(values: Nullable<string>): Buffer {
  return arrayOf(ELEMENT.text, values, {
    size: (value) => Buffer.byteLength(value),
    write: (into, value, at) => at + into.write(value, at),
  });
}

export function byteaArray(values: Nullable<Uint8Array>): Buffer {
  return arrayOf(ELEMENT.bytea, values, {
    size: (value) => value.length,
    write: (into, value, at) => {
      into.set(value, at);
      return at + value.length;
    },
  });
}

export function uuidArray(values: Nullable<string>): Buffer {
  return arrayOf(ELEMENT.uuid, values, {
    size: () => UUID_BYTES,
    write: (into, value, at) => at + into.write(value.replaceAll('-', ''), at, 'hex'),
  });
}

interface Encoding<Value> {
  /** In bytes. */
  readonly size: (value: Value) => number;
  /** Returns where the value ends. */
  readonly write: (into: Buffer, value: Value, at: number) => number;
}

function arrayOf<Value>(
  element: number,
  values: Nullable<Value>,
  { size, write }: Encoding<Value>,
): Buffer {
  let total = HEADER_BYTES;
  for (const value of values) total += LENGTH_BYTES + (value === null ? 0 : size(value));
  const into = Buffer.allocUnsafe(total);
  let at = 0;
  for (const each of [1, values.includes(null) ? 1 : 0, element, values.length, 1]) {
    at = into.writeInt32BE(each, at);
  }
  for (const value of values) {
    const from = at + LENGTH_BYTES;
    const end = value === null ? from : write(into, value, from);
    into.writeInt32BE(value === null ? NULL_LENGTH : end - from, at);
    at = end;
  }
  return into;
}
