/** Values, texts and bytes that no careful program would send: for generated input. */
import * as fc from '../support/property.ts';

/** Characters that end, reorder, hide or break something, and such of two code units. */
const CHARACTERS = [
  ...'aZ09 ._-/\\"\'`$%&=?#@:;,|<>{}[]()*+~!^',
  ...'\0\t\n\r\u001b\u007f\u009b\u00e4\u200b\u202e\u2028\ufeff\ufffd\u{1f600}',
  '\ud800',
  '\udfff',
];

export const oddText = fc.oneof(
  fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 20 }),
  fc.constantFrom(
    '',
    '-',
    '--',
    '..',
    '../../etc/passwd',
    '/',
    '__proto__',
    'constructor',
    'toString',
    'null',
    'NaN',
    '1e400',
    '0x10',
    '%00',
    '%2e%2e',
    '%',
    '%zz',
    'x'.repeat(70_000),
    '\u202e'.repeat(300),
  ),
);

const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  oddText,
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -0,
    -1,
    1e21,
    1e308,
    2 ** 53,
    0.1,
    [],
    {},
    [[]],
    { api: { token: 'x' } },
    nested(2_000),
    Array.from({ length: 3_000 }, (_, index) => index),
    Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`k${index}`, index])),
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Some places of a document, each with its new value. */
export const changes = fc.array(fc.tuple(fc.nat(), oddValue), { maxLength: 3 });

/** A copy of a document with other values in some places, or without what stood there. */
export function changed(
  document: unknown,
  places: readonly (readonly [number, unknown])[],
): unknown {
  const copy: unknown = structuredClone(document);
  for (const [choice, value] of places) {
    const slots = slotsOf(copy);
    const [parent, name] = slots[choice % Math.max(1, slots.length)] ?? [];
    if (parent === undefined || name === undefined) continue;
    if (choice % 5 === 0) delete parent[name];
    else parent[name] = structuredClone(value);
  }
  return copy;
}

type Slot = readonly [parent: Record<string, unknown>, name: string];

function slotsOf(root: unknown): Slot[] {
  const slots: Slot[] = [];
  const pending = [root];
  for (
    let value = pending.pop();
    value !== undefined && slots.length < 500;
    value = pending.pop()
  ) {
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, child] of Object.entries(value)) {
      slots.push([value as Record<string, unknown>, name]);
      if (child !== undefined) pending.push(child);
    }
  }
  return slots;
}

/** What becomes of bytes on a bad way: some are changed, they break off, or come in another encoding. */
export interface Damage {
  readonly flips: readonly (readonly [at: number, byte: number])[];
  /** Shares, from 0 to 1. */
  readonly until: number;
  readonly as: 'utf8' | 'utf16le' | 'latin1' | 'bom' | 'nul';
}

export const damage: fc.Arbitrary<Damage> = fc.record({
  flips: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }) },
  ),
  until: fc.oneof(
    { weight: 5, arbitrary: fc.constant(1) },
    { weight: 1, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
  ),
  as: fc.oneof(
    { weight: 6, arbitrary: fc.constant('utf8' as const) },
    { weight: 2, arbitrary: fc.constantFrom('utf16le', 'latin1', 'bom', 'nul') },
  ),
});

export function damaged(content: string | Uint8Array, { flips, until, as }: Damage): Buffer {
  const whole = typeof content === 'string' ? encoded(content, as) : Buffer.from(content);
  const bytes = Buffer.from(whole.subarray(0, Math.ceil(whole.length * until)));
  if (bytes.length > 0) for (const [at, byte] of flips) bytes[at % bytes.length] = byte;
  return bytes;
}

function encoded(text: string, as: Damage['as']): Buffer {
  if (as === 'utf16le' || as === 'latin1') return Buffer.from(text, as);
  if (as === 'bom') return Buffer.from(`\ufeff${text}`);
  return Buffer.from(as === 'nul' ? text.replaceAll(' ', '\0') : text);
}
