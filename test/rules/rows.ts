import type { RowKind } from '../../src/contract/index.ts';
import { nested, type Rule, rowOf, rulesOf } from './rule.ts';

export interface RowRule extends Rule {
  /** Without one the row may be of any kind. */
  readonly kind?: RowKind;
}

const SHARED = { below: 1_000_000, limit: 1_048_576, label: '1 MB' };
const OWN = { below: 512_000, limit: 524_288, label: '512 KB' };
const SIZES = { context: SHARED, location: SHARED, member: OWN, member_location: OWN };

const NEAR = ['row.near_limit (warning)'];
const MAYBE = ['row.maybe_too_large (warning)'];

/** "Storage rows": the size of the JSON object, as compact JSON. KB is read as 1000 or as 1024. */
const sizes = Object.entries(SIZES).flatMap(([kind, { below, limit, label }]): RowRule[] => {
  const of = kind as RowKind;
  return [
    {
      name: `a ${kind} row may have its limit by each reading of KB`,
      kind: of,
      found: NEAR,
      payloads: [rowOf(below - 1), rowOf(below)],
    },
    {
      name: `a ${kind} row between the two readings may be refused`,
      kind: of,
      found: MAYBE,
      payloads: [rowOf(below + 1), rowOf(limit - 1), rowOf(limit)],
    },
    {
      name: `a ${kind} row over its limit is refused`,
      kind: of,
      found: ['row.too_large'],
      message: `JSON object of ${limit + 1} bytes is over the ${label} limit of a ${kind} row`,
      payloads: [rowOf(limit + 1), ` ${rowOf(limit + 1, 'é')}\n`],
    },
  ];
});

/** What takes another number of bytes than of characters. */
const FILLERS = ['é', '語', '😀', String.raw`\n`, String.raw`\"`, String.raw`\u0001`];
const wide = [...FILLERS, String.raw`\ud83d`];

export const ROWS = rulesOf<RowRule>([
  ...sizes,
  [
    'the size of a row is counted in bytes, up to the limit',
    MAYBE,
    wide.map((filler) => rowOf(OWN.limit, filler)),
    { kind: 'member' },
  ],
  [
    'the size of a row is counted in bytes, over the limit',
    'row.too_large',
    wide.map((filler) => rowOf(OWN.limit + 1, filler)),
    { kind: 'member' },
  ],
  [
    'white space and needless escapes do not count',
    '',
    [
      `{ "k" : ${' '.repeat(600_000)} "${'\\u0041'.repeat(100_000)}" }`,
      `{"k":"${String.raw`\/`.repeat(300_000)}"}`,
    ],
    { kind: 'member' },
  ],
  [
    'a row has no warning below four fifths of its limit',
    '',
    [rowOf(Math.ceil(OWN.limit * 0.8) - 1)],
    { kind: 'member' },
  ],
  [
    'a row is near its limit from four fifths on',
    NEAR,
    [rowOf(Math.ceil(OWN.limit * 0.8))],
    { kind: 'member' },
  ],
  [
    'a row of an unknown kind may be over the limit of a member in units of 1000 bytes',
    MAYBE,
    [rowOf(OWN.limit)],
  ],
  [
    'a row of an unknown kind may be too large for a member',
    'row.too_large_for_member (warning)',
    [rowOf(OWN.limit + 1)],
  ],
  [
    'a row of an unknown kind may be too large for a course',
    ['row.too_large_for_member (warning)', ...MAYBE],
    [rowOf(SHARED.limit)],
  ],
  [
    'a row of an unknown kind over the larger limit is refused',
    'row.too_large',
    [rowOf(SHARED.limit + 1)],
  ],
  [
    'a row is any JSON object',
    '',
    [
      '{}',
      ' {\t"k" :\r\n[ 1 , 2 ] } \n',
      '{"a":[1,2.5,-0,1e3,1.10],"b":{"c":null,"":{}}}',
      '{"__proto__":1,"constructor":2,"toString":3}',
      String.raw`{"k":"\udc00\/\u00e9"}`,
      '{"é":1}',
      nested(99),
    ],
  ],
  [
    'a row is JSON in UTF-8',
    'body.syntax',
    [
      '',
      '{"a":',
      '{"a":1,}',
      '{"a":NaN}',
      '\ufeff{}',
      '{"a":1}{}',
      `${rowOf(600_000)},`,
      Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d),
      nested(1000),
    ],
    'malformed body',
  ],
  [
    'a row is an object',
    'body.not_object',
    ['[]', '[{}]', 'null', '"{}"', '0', 'true', ' false '],
    'malformed body',
  ],
  [
    'a name twice is a warning',
    'body.duplicate_name /b/c (warning)',
    ['{"a":1,"b":{"c":1,"c":2}}'],
  ],
  [
    'a number that JavaScript cannot hold is a warning',
    ['body.lossy_number /a~1b/~0 (warning)', 'body.lossy_number /c/1 (warning)'],
    ['{"a/b":{"~":1e400},"c":[0,9007199254740993]}'],
  ],
  ['more than 100 levels are a warning', 'body.deep (warning)', [nested(100), nested(999)]],
]);
