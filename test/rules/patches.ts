import { nested, type Rule, rowOf, rulesOf } from './rule.ts';

export interface PatchRule extends Rule {
  /** The row before; `{}` by default. */
  readonly against?: string;
  /** The row after an accepted patch, compact. */
  readonly after?: string;
}

const patch = (...operations: string[]): string => `{"patch":[${operations.join(',')}]}`;
const add = (path: string, value: string): string =>
  patch(`{"op":"add","path":"${path}","value":${value}}`);

/** A body that is refused for its form, whatever the row is. */
const FORMS: [found: string, ...bodies: string[]][] = [
  ['body.syntax', '{"patch":[', '', patch(`{"op":"add","path":"","value":${nested(1000)}}`)],
  ['body.not_object', '"x"', '1', 'true', 'null'],
  ['patch.no_wrapper', '{}', '{"op":"remove","path":"/a"}', '{"Patch":[]}', '{"ops":[]}'],
  ['patch.no_wrapper', '[{"op":"remove","path":"/a"}]'],
  ['patch.not_array /patch', '{"patch":{}}', '{"patch":null}', '{"patch":"[]"}'],
  ['patch.operation_not_object /patch/0', patch('null'), patch('[]'), patch('7')],
  ['patch.op_missing /patch/0', patch('{"path":"/a"}')],
  ['patch.op_not_string /patch/0/op', patch('{"op":1,"path":"/a"}')],
  ...['Add', '_get', 'constructor', 'set', 'put'].map((op): [string, string] => [
    'patch.op_unknown /patch/0/op',
    patch(`{"op":"${op}","path":"/a","value":1}`),
  ]),
  ...['test', 'move', 'copy'].map((op): [string, string] => [
    // The contract names three operations "in use" and excludes no other.
    'patch.op_unsupported /patch/0/op (warning)',
    patch(`{"op":"${op}","path":"/a","from":"/b","value":1}`),
  ]),
  ['patch.path_missing /patch/0', patch('{"op":"remove"}')],
  ['patch.path_not_string /patch/0/path', patch('{"op":"remove","path":["a"]}')],
  ['patch.path_malformed /patch/0/path', patch('{"op":"remove","path":"a"}'), add('/a~2', '1')],
  ['patch.path_malformed /patch/0/path', add('/~', '1'), add('#/a', '1')],
  ['patch.value_missing /patch/0', patch('{"op":"add","path":"/a"}')],
  ['patch.value_missing /patch/0', patch('{"op":"replace","path":""}')],
  ['patch.remove_root /patch/0/path', patch('{"op":"remove","path":""}')],
  ['patch.root_not_object /patch/0/value', add('', '[]'), add('', 'null')],
];

/** A row, the operations, and the row afterwards. */
const APPLIED: [before: string, operations: string, after: string][] = [
  // Objects
  ['{}', '[{"op":"add","path":"/a","value":1}]', '{"a":1}'],
  ['{"a":1,"b":2}', '[{"op":"add","path":"/a","value":[]}]', '{"a":[],"b":2}'],
  ['{"a":1,"b":2}', '[{"op":"replace","path":"/a","value":1.10}]', '{"a":1.10,"b":2}'],
  ['{"a":1,"b":2}', '[{"op":"remove","path":"/a"}]', '{"b":2}'],
  ['{"a":null}', '[{"op":"replace","path":"/a","value":0}]', '{"a":0}'],
  ['{"a":null}', '[{"op":"remove","path":"/a","note":[]}]', '{}'],
  ['{"":{"":1}}', '[{"op":"replace","path":"//","value":null}]', '{"":{"":null}}'],
  ['{"a/b":1,"~1":2}', '[{"op":"remove","path":"/a~1b"}]', '{"~1":2}'],
  ['{"a/b":1,"~1":2}', '[{"op":"remove","path":"/~01"}]', '{"a/b":1}'],
  ['{}', '[{"op":"add","path":"/-","value":1}]', '{"-":1}'],
  // Missing parents become objects, even where the token is a number
  ['{}', '[{"op":"add","path":"/a/b/c","value":1}]', '{"a":{"b":{"c":1}}}'],
  ['{}', '[{"op":"add","path":"/a/0/-","value":1}]', '{"a":{"0":{"-":1}}}'],
  ['{"a":[{}]}', '[{"op":"add","path":"/a/0/x/y","value":1}]', '{"a":[{"x":{"y":1}}]}'],
  ['{}', '[{"op":"add","path":"//x","value":1}]', '{"":{"x":1}}'],
  ['{}', '[{"op":"add","path":"/__proto__/x","value":1}]', '{"__proto__":{"x":1}}'],
  ['{}', '[{"op":"add","path":"/constructor/x","value":1}]', '{"constructor":{"x":1}}'],
  // Arrays
  ['{"a":[1,2]}', '[{"op":"add","path":"/a/0","value":0}]', '{"a":[0,1,2]}'],
  ['{"a":[1,2]}', '[{"op":"add","path":"/a/2","value":3}]', '{"a":[1,2,3]}'],
  ['{"a":[1,2]}', '[{"op":"add","path":"/a/-","value":3}]', '{"a":[1,2,3]}'],
  ['{"a":[]}', '[{"op":"add","path":"/a/0","value":[1]}]', '{"a":[[1]]}'],
  ['{"a":[1,2]}', '[{"op":"replace","path":"/a/1","value":3}]', '{"a":[1,3]}'],
  ['{"a":[1,2]}', '[{"op":"remove","path":"/a/0"}]', '{"a":[2]}'],
  ['{"a":[null]}', '[{"op":"remove","path":"/a/0"}]', '{"a":[]}'],
  // The root
  ['{"a":1}', '[{"op":"add","path":"","value":{"b":1}}]', '{"b":1}'],
  ['{"a":1}', '[{"op":"replace","path":"","value":{}}]', '{}'],
  // Digits that are not touched
  [
    '{"big":1.10,"e":1E2,"z":0}',
    '[{"op":"replace","path":"/z","value":1}]',
    '{"big":1.10,"e":1E2,"z":1}',
  ],
  // In sequence
  [
    '{"a":1}',
    '[{"op":"replace","path":"","value":{"b":{}}},{"op":"add","path":"/b/c","value":1}]',
    '{"b":{"c":1}}',
  ],
  [
    '{"a":[{"b":1}]}',
    '[{"op":"remove","path":"/a/0"},{"op":"add","path":"/a/-","value":2},{"op":"remove","path":"/a"}]',
    '{}',
  ],
];

const MISSING = 'patch.target_missing';
const NO_CONTAINER = 'patch.parent_not_container';
const BAD_INDEX = 'patch.index_invalid';
const OUTSIDE = 'patch.index_out_of_bounds';

/** A row, an operation that does not fit it, and a part of the message. */
const UNFIT: [row: string, op: string, path: string, code: string, message: string][] = [
  ['{}', 'remove', '/a', MISSING, '/a'],
  ['{}', 'replace', '/a', MISSING, '/a'],
  ['{}', 'replace', '/__proto__', MISSING, '/__proto__'],
  ['{}', 'remove', '/constructor', MISSING, '/constructor'],
  ['{"a/":{}}', 'remove', '/a~1/b', MISSING, '/a~1'],
  ['{"a":{}}', 'replace', '/a/b/c/d', MISSING, '/a/b/c/d'],
  ['{"a":[{}]}', 'remove', '/a/0/x/y', MISSING, '/a/0'],
  ['{"a":1}', 'add', '/a/b', NO_CONTAINER, 'a number'],
  ['{"a":null}', 'add', '/a/b/c', NO_CONTAINER, 'null'],
  ['{"a":"x"}', 'replace', '/a/0', NO_CONTAINER, 'a string'],
  ['{"a":[true]}', 'remove', '/a/0/b', NO_CONTAINER, 'a boolean'],
  ['{"a":[1]}', 'add', '/a/2', OUTSIDE, '1'],
  ['{"a":[1]}', 'replace', '/a/1', OUTSIDE, '1'],
  ['{"a":[]}', 'remove', '/a/0', OUTSIDE, '0'],
  ['{"a":[1]}', 'add', '/a/1/x', OUTSIDE, '1'],
  ['{"a":[1]}', 'add', '/a/9007199254740993', OUTSIDE, '1'],
  ['{"a":[1]}', 'remove', '/a/-', BAD_INDEX, '-'],
  ['{"a":[1]}', 'replace', '/a/-', BAD_INDEX, '-'],
  ['{"a":[{}]}', 'add', '/a/-/x', BAD_INDEX, '-'],
  ['{"a":[1,2]}', 'add', '/a/01', BAD_INDEX, '01'],
  ['{"a":[1,2]}', 'add', '/a/-1', BAD_INDEX, '-1'],
  ['{"a":[1,2]}', 'replace', '/a/1e0', BAD_INDEX, '1e0'],
  ['{"a":[1,2]}', 'remove', '/a/length', BAD_INDEX, 'length'],
  ['{"a":[1,2]}', 'remove', '/a/', BAD_INDEX, ''],
];

const LIMIT = 524_288;
/** A patch of `{"a":1}`, after which the row has this many bytes. */
const growing = (bytes: number): string => add('/k', rowOf(bytes - 12));

/** "PATCH rules", of a member row. */
export const PATCHES = rulesOf<PatchRule>([
  ...FORMS.map(([found, ...payloads]): PatchRule => {
    return { name: `${found}: ${payloads[0]}`, found: [found], payloads };
  }),
  ...APPLIED.map(([against, operations, after]): PatchRule => {
    const payloads = [`{"patch":${operations}}`];
    return { name: `${operations} applied to ${against}`, against, after, payloads };
  }),
  ...UNFIT.map(([against, op, path, code, message]): PatchRule => {
    const value = op === 'remove' ? '' : ',"value":0';
    const second = `{"op":"${op}","path":"${path}"${value}}`;
    const name = `${second} does not apply to ${against}`;
    const payloads = [patch('{"op":"add","path":"/z","value":0}', second)];
    return { name, against, found: [`${code} /patch/1`], message, payloads };
  }),
  [
    'unknown fields beside patch are ignored',
    '',
    ['{"comment":1,"patch":[{"op":"add","path":"/a","value":1}]}'],
    { after: '{"a":1}' },
  ],
  ['a patch without operations may be refused', 'patch.empty /patch (warning)', ['{"patch":[]}']],
  [
    'all violations of all operations are found, in order',
    [
      'patch.op_missing /patch/0',
      'patch.path_missing /patch/0',
      'patch.operation_not_object /patch/1',
      'patch.path_malformed /patch/2/path',
      'patch.value_missing /patch/2',
      'patch.op_unsupported /patch/3/op (warning)',
      'patch.path_missing /patch/3',
    ],
    [patch('{}', '7', '{"op":"add","path":"x"}', '{"op":"move"}')],
  ],
  [
    'an empty array has no wrapper and no operation',
    ['patch.no_wrapper', 'patch.empty (warning)'],
    ['[]'],
  ],
  [
    'an array without the wrapper is checked too',
    ['patch.no_wrapper', 'patch.op_unknown /0/op', 'patch.path_missing /0'],
    ['[{"op":"ad"}]'],
  ],
  [
    'a lossy number in a value is a warning',
    'body.lossy_number /patch/0/value (warning)',
    [add('/a', '1e400')],
    { after: '{"a":1e400}' },
  ],
  [
    'a name twice is a warning in a patch, and the last one counts',
    'body.duplicate_name /patch (warning)',
    ['{"patch":1,"patch":[{"op":"add","path":"","value":{}}]}'],
    { after: '{}' },
  ],
  [
    'a row may be patched up to its limit',
    'row.maybe_too_large (warning)',
    [growing(LIMIT - 1), growing(LIMIT)],
    { against: '{ "a": 1 }' },
  ],
  [
    'a row is not patched over its limit',
    'row.too_large',
    [growing(LIMIT + 1)],
    { against: '{ "a": 1 }', message: 'is over the 512 KB limit of a member row' },
  ],
  [
    'a patched row near its limit is a warning',
    'row.near_limit (warning)',
    [growing(Math.ceil(LIMIT * 0.9))],
    { against: '{ "a": 1 }' },
  ],
]);
