import { certain, type Example, type Params, possible, refusedPossibly } from './code-row.ts';

const PATCH_RULE = 'Endpoints, Storage rows: PATCH rules';
const OPERATION_RULE = 'RFC 6902; Endpoints, Storage rows: PATCH rules';

const operation = (p: Params): string => `patch operation ${p.index}`;

const body = (text: string): Example => ({ kind: 'patch', given: text, text });

const operations = (text: string, against?: string): Example => ({
  kind: 'patch',
  given: `{"patch": ${text}}${against === undefined ? '' : ` on the row ${against}`}`,
  text: `{"patch":${text}}`,
  ...(against !== undefined && { against }),
});

/** Errors and warnings about a JSON Patch of a row. */
export const PATCH_CODES = {
  'patch.no_wrapper': certain(
    'malformed body: expected an object with a "patch" key',
    PATCH_RULE,
    'send { "patch": [ { "op": …, "path": …, "value": … } ] }',
    body('[{"op": "remove", "path": "/a"}]'),
  ),
  'patch.not_array': certain(
    (p) => `malformed body: patch must be an array, not ${p.found}`,
    PATCH_RULE,
    'send { "patch": [ … ] } with an array of operations, even for a single one',
    operations('{"op": "remove", "path": "/a"}'),
  ),
  'patch.empty': possible(
    'the patch has no operations',
    PATCH_RULE,
    'send at least one operation; the contract shows no patch without any, so it may be refused',
    operations('[]'),
  ),
  'patch.operation_not_object': certain(
    (p) => `${operation(p)} must be an object, not ${p.found}`,
    OPERATION_RULE,
    'each operation is { "op": …, "path": …, "value": … }',
    operations('["remove /a"]'),
  ),
  'patch.op_missing': certain(
    (p) => `${operation(p)} has no op`,
    OPERATION_RULE,
    'op is add, replace or remove',
    operations('[{"path": "/a", "value": 1}]'),
  ),
  'patch.op_not_string': certain(
    (p) => `${operation(p)}: op must be a string`,
    OPERATION_RULE,
    'op is "add", "replace" or "remove"',
    operations('[{"op": 1, "path": "/a"}]'),
  ),
  'patch.op_unknown': certain(
    (p) => `${operation(p)} has an unknown op ${JSON.stringify(p.op)}`,
    OPERATION_RULE,
    'op is add, replace or remove, in lower case',
    operations('[{"op": "put", "path": "/a", "value": 1}]'),
  ),
  'patch.op_unsupported': refusedPossibly(
    (p) => `${operation(p)}: ${p.op} is not one of the operations in use`,
    'Endpoints, Storage rows: PATCH rule 1',
    'use add, replace or remove; the contract names no other operation',
    operations('[{"op": "move", "from": "/a", "path": "/b"}]'),
  ),
  'patch.path_missing': certain(
    (p) => `${operation(p)} (${p.op}) has no path`,
    OPERATION_RULE,
    'use a path relative to the object root, such as "/settings/theme"',
    operations('[{"op": "remove"}]'),
  ),
  'patch.path_not_string': certain(
    (p) => `${operation(p)} (${p.op}): path must be a string`,
    OPERATION_RULE,
    'a path is a string such as "/settings/theme"',
    operations('[{"op": "remove", "path": 0}]'),
  ),
  'patch.path_malformed': certain(
    (p) => `${operation(p)}: malformed path ${JSON.stringify(p.pointer)}: ${p.reason}`,
    'RFC 6901',
    'a path starts with /; in names, write ~ as ~0 and / as ~1',
    operations('[{"op": "remove", "path": "a/b"}]'),
  ),
  'patch.value_missing': certain(
    (p) => `${operation(p)} (${p.op} ${p.pointer}) has no value`,
    OPERATION_RULE,
    'add and replace need a value, which may be null',
    operations('[{"op": "add", "path": "/a"}]'),
  ),
  'patch.remove_root': certain(
    (p) => `${operation(p)} removes the whole row`,
    'Resources: each row holds one JSON object',
    'to empty a row, PUT {}',
    operations('[{"op": "remove", "path": ""}]'),
  ),
  'patch.root_not_object': certain(
    (p) => `${operation(p)} replaces the row with ${p.found}`,
    'Resources: each row holds one JSON object',
    'the value for the path "" must be an object',
    operations('[{"op": "replace", "path": "", "value": []}]'),
  ),
  'patch.target_missing': certain(
    (p) =>
      `${operation(p)} (${p.op} ${p.pointer}): no such value; the longest existing path is "${p.at}"`,
    OPERATION_RULE,
    'use add for a value that may not exist; replace and remove need an existing value',
    operations('[{"op": "remove", "path": "/a/b"}]', '{"a": {}}'),
  ),
  'patch.parent_not_container': certain(
    (p) =>
      `${operation(p)} (${p.op} ${p.pointer}): "${p.at}" is ${p.found}, not an object or array`,
    OPERATION_RULE,
    'replace it with an object first',
    operations('[{"op": "add", "path": "/a/b", "value": 1}]', '{"a": "x"}'),
  ),
  'patch.index_invalid': certain(
    (p) => `${operation(p)} (${p.pointer}): ${JSON.stringify(p.token)} is not an array index`,
    'RFC 6901, section 4',
    'an index is 0, 1, 2 … without leading zeros; - appends (only with add)',
    operations('[{"op": "remove", "path": "/a/01"}]', '{"a": [1, 2]}'),
  ),
  'patch.index_out_of_bounds': certain(
    (p) =>
      `${operation(p)} (${p.pointer}): the array has ${p.length} ${p.length === 1 ? 'element' : 'elements'}`,
    OPERATION_RULE,
    'the first index is 0; to append, add with - as the index',
    operations('[{"op": "remove", "path": "/a/2"}]', '{"a": [1, 2]}'),
  ),
};
