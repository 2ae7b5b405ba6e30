import type { Code, Violation } from '../../contract/index.ts';
import { compactJson, type JsonObject, reformat } from '../../json/index.ts';
import { freedom, named } from './freedom.ts';

/* What is refused of a body, and what comes first. */

/** Reads what an access and a body are; either may refuse the call. */
export type InOrder = <Access, Body>(
  access: () => Access,
  body: () => Body,
) => { readonly access: Access; readonly body: Body };

/** Whether the service refuses what the contract neither allows nor excludes. */
function refusing(about: string, contract: string, codes: readonly Code[], reading?: string) {
  return freedom<readonly Code[]>({
    about,
    contract,
    ...(reading !== undefined && { reading }),
    values: [
      ['taken', []],
      ['refused', codes],
    ],
  });
}

/** Each value lists the codes of warnings that are refusals. */
export const STRICT_FREEDOMS = {
  kilobytes: freedom<readonly Code[]>({
    about: 'whether a KB has 1024 bytes or 1000, and an MB 1024² or 1000²',
    contract: 'Limits: "512 KB", "1 MB", "25 MB", "100 MB", without their bytes.',
    reading: 'Is a KB 1000 or 1024 bytes, an MB 1000² or 1024²?',
    values: [
      ['1024', []],
      ['1000', ['row.maybe_too_large', 'file.maybe_too_large', 'files.maybe_quota_exceeded']],
    ],
  }),
  untyped: refusing(
    'a JSON body without its `Content-Type`',
    'Endpoints: "Requests with a JSON body send `Content-Type: application/json`."',
    ['request.content_type'],
    'What answers a JSON body without its `Content-Type`?',
  ),
  duplicates: refusing(
    'a name that occurs twice in an object of a body',
    'Errors: "malformed body"; RFC 8259, section 4, leaves the rest to the receiver.',
    ['body.duplicate_name'],
    'Which bodies are malformed?',
  ),
  empty_patch: refusing(
    'a PATCH without operations',
    'Endpoints: "`{ patch: [ { op, path, value } ... ] }`" shows at least one operation.',
    ['patch.empty'],
    'Are `move`, `copy` and `test` operations?',
  ),
  empty_files: refusing(
    'a file of 0 bytes',
    'Declaration body of PUT: "size | integer | bytes; at most 25 MB", without a smallest size.',
    ['file.empty'],
    'What answers a declaration, and an upload?',
  ),
  unknown_fields: refusing(
    'a field of a grade that the contract does not name',
    'Request body: a table of fields; other fields are not mentioned.',
    ['grade.unknown_field', 'grade.launch_id'],
    'Which scores are malformed?',
  ),
  nulls: refusing(
    'null for an optional field',
    'Request body, Declaration body: "number", "string" and "boolean", without null.',
    ['grade.null_field', 'file.null_field'],
  ),
};

export const BODY_FREEDOMS = {
  refusals: freedom<InOrder>({
    about: 'whether a call is refused for its caller or for its body, where both are wrong',
    contract: 'Errors: statuses and causes, without an order.',
    reading: 'Which refusal comes first?',
    values: [
      ['access', (access, body) => ({ access: access(), body: body() })],
      // Members of an object are evaluated in their order.
      ['body', (access, body) => ({ body: body(), access: access() })],
    ],
  }),
  several: freedom<(found: readonly Violation[]) => Violation | undefined>({
    about: 'for which fault a body with several is refused',
    contract: 'Errors: messages and causes, without an order.',
    values: [
      ['first', (found) => found[0]],
      ['last', (found) => found.at(-1)],
    ],
  }),
  /** The form of a row after a PATCH; the numbers that it does not touch keep their digits. */
  patched: freedom<(row: JsonObject) => string>({
    about: 'how a row is written after a PATCH',
    contract: 'Endpoints: "the JSON object exactly as last written" names no form after a PATCH.',
    reading: 'What is read back after a write?',
    values: named({
      compact: compactJson,
      lines: (row) => reformat(compactJson(row), 2),
      sorted: (row) =>
        compactJson(new Map([...row].sort(([one], [other]) => (one < other ? -1 : 1)))),
    }),
  }),
  ...STRICT_FREEDOMS,
};
