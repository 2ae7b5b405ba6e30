import type { RowKind } from '../../src/contract/index.ts';
import { nested, type Rule, rowOf } from './rule.ts';

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
      status: 422,
      message: `JSON object of ${limit + 1} bytes is over the ${label} limit of a ${kind} row`,
      payloads: [rowOf(limit + 1), ` ${rowOf(limit + 1, 'é')}\n`],
    },
  ];
});

/** What takes another number of bytes than of characters. */
const FILLERS = ['é', '語', '😀', String.raw`\n`, String.raw`\"`, String.raw`\u0001`];
const wide = [...FILLERS, String.raw`\ud83d`];

export const ROWS: readonly RowRule[] = [
  ...sizes,
  {
    name: 'the size of a row is counted in bytes, up to the limit',
    kind: 'member',
    found: MAYBE,
    payloads: wide.map((filler) => rowOf(OWN.limit, filler)),
  },
  {
    name: 'the size of a row is counted in bytes, over the limit',
    kind: 'member',
    found: ['row.too_large'],
    status: 422,
    payloads: wide.map((filler) => rowOf(OWN.limit + 1, filler)),
  },
  {
    name: 'white space and needless escapes do not count',
    kind: 'member',
    payloads: [
      `{ "k" : ${' '.repeat(600_000)} "${'\\u0041'.repeat(100_000)}" }`,
      `{"k":"${String.raw`\/`.repeat(300_000)}"}`,
    ],
  },
  {
    name: 'a row has no warning below four fifths of its limit',
    kind: 'member',
    payloads: [rowOf(Math.ceil(OWN.limit * 0.8) - 1)],
  },
  {
    name: 'a row is near its limit from four fifths on',
    kind: 'member',
    found: NEAR,
    payloads: [rowOf(Math.ceil(OWN.limit * 0.8))],
  },
  {
    name: 'a row of an unknown kind may be too large for a member',
    found: ['row.too_large_for_member (warning)'],
    payloads: [rowOf(OWN.limit), rowOf(OWN.limit + 1)],
  },
  {
    name: 'a row of an unknown kind may be too large for a course',
    found: ['row.too_large_for_member (warning)', ...MAYBE],
    payloads: [rowOf(SHARED.limit)],
  },
  {
    name: 'a row of an unknown kind over the larger limit is refused',
    found: ['row.too_large'],
    status: 422,
    payloads: [rowOf(SHARED.limit + 1)],
  },
  {
    name: 'a row is any JSON object',
    payloads: [
      '{}',
      ' {\t"k" :\r\n[ 1 , 2 ] } \n',
      '{"a":[1,2.5,-0,1e3,1.10],"b":{"c":null,"":{}}}',
      '{"__proto__":1,"constructor":2,"toString":3}',
      String.raw`{"k":"\udc00\/\u00e9"}`,
      '{"é":1}',
      nested(99),
    ],
  },
  {
    name: 'a row is JSON in UTF-8',
    found: ['body.syntax'],
    status: 422,
    message: 'malformed body',
    payloads: [
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
  },
  {
    name: 'a row is an object',
    found: ['body.not_object'],
    status: 422,
    message: 'malformed body',
    payloads: ['[]', '[{}]', 'null', '"{}"', '0', 'true', ' false '],
  },
  {
    name: 'a name twice is a warning',
    found: ['body.duplicate_name /b/c (warning)'],
    payloads: ['{"a":1,"b":{"c":1,"c":2}}'],
  },
  {
    name: 'a number that JavaScript cannot hold is a warning',
    found: ['body.lossy_number /a~1b/~0 (warning)', 'body.lossy_number /c/1 (warning)'],
    payloads: ['{"a/b":{"~":1e400},"c":[0,9007199254740993]}'],
  },
  {
    name: 'more than 100 levels are a warning',
    found: ['body.deep (warning)'],
    payloads: [nested(100), nested(999)],
  },
];
