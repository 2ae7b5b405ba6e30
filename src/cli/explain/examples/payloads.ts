import { FILE_SIZE, FILES_PER_ROW, FILES_TOTAL, ROW_SIZE } from '../../../contract/index.ts';
import {
  type FileOptions,
  validateDeclaration,
  validateFile,
  validateGrade,
  validateKey,
  validatePatch,
  validateRow,
} from '../../../validator/index.ts';
import { type Example, type Examples, byValidator, byParams } from './example.ts';

const row = (text: string): Example => byValidator(text, () => validateRow(text));

/** A row of so many compact bytes. */
function sizedRow(bytes: number, kind?: 'context' | 'member'): Example {
  const given = `{"notes": "…"} of ${bytes} bytes${kind === undefined ? '' : `, for the ${kind} row`}`;
  return byValidator(given, () => validateRow(`{"notes":"${'x'.repeat(bytes - 12)}"}`, { kind }));
}

const { context, member } = ROW_SIZE;

export const BODY_EXAMPLES: Examples<'body'> = {
  'body.syntax': row('{"theme": "dark",}'),
  'body.not_object': row('["dark"]'),
  'body.duplicate_name': row('{"theme": "dark", "theme": "light"}'),
  'body.lossy_number': row('{"id": 9007199254740993}'),
  'body.deep': byValidator('{"a": [[[ … 120 brackets … ]]]}', () =>
    validateRow(`{"a":${'['.repeat(120)}${']'.repeat(120)}}`),
  ),
};

export const ROW_EXAMPLES: Examples<'row'> = {
  'row.too_large': sizedRow(context.bytes + 1, 'context'),
  'row.maybe_too_large': sizedRow(context.cautiousBytes + 1, 'context'),
  'row.too_large_for_member': sizedRow(member.bytes + 1),
  'row.near_limit': sizedRow(Math.ceil(member.bytes * 0.9), 'member'),
  'row.unprovisioned': byParams('GET storage.context before the finish call', { kind: 'context' }),
  'row.not_found': byParams('GET of a row address whose course was deleted'),
  'row.forbidden': byParams("PUT storage.context with a student's token", {
    action: 'write',
    kind: 'context',
  }),
  'row.not_member': byParams("GET of a row with a token of another course's launch"),
};

const operations = (text: string, against?: string): Example =>
  byValidator(`{"patch": ${text}}${against === undefined ? '' : ` on the row ${against}`}`, () =>
    validatePatch(`{"patch":${text}}`, { against }),
  );

export const PATCH_EXAMPLES: Examples<'patch'> = {
  'patch.no_wrapper': byValidator('[{"op": "remove", "path": "/a"}]', () =>
    validatePatch('[{"op": "remove", "path": "/a"}]'),
  ),
  'patch.not_array': operations('{"op": "remove", "path": "/a"}'),
  'patch.operation_not_object': operations('["remove /a"]'),
  'patch.op_missing': operations('[{"path": "/a", "value": 1}]'),
  'patch.op_not_string': operations('[{"op": 1, "path": "/a"}]'),
  'patch.op_unknown': operations('[{"op": "put", "path": "/a", "value": 1}]'),
  'patch.op_unsupported': operations('[{"op": "move", "from": "/a", "path": "/b"}]'),
  'patch.path_missing': operations('[{"op": "remove"}]'),
  'patch.path_not_string': operations('[{"op": "remove", "path": 0}]'),
  'patch.path_malformed': operations('[{"op": "remove", "path": "a/b"}]'),
  'patch.value_missing': operations('[{"op": "add", "path": "/a"}]'),
  'patch.remove_root': operations('[{"op": "remove", "path": ""}]'),
  'patch.root_not_object': operations('[{"op": "replace", "path": "", "value": []}]'),
  'patch.target_missing': operations('[{"op": "remove", "path": "/a/b"}]', '{"a": {}}'),
  'patch.parent_not_container': operations(
    '[{"op": "add", "path": "/a/b", "value": 1}]',
    '{"a": "x"}',
  ),
  'patch.index_invalid': operations('[{"op": "remove", "path": "/a/01"}]', '{"a": [1, 2]}'),
  'patch.index_out_of_bounds': operations('[{"op": "remove", "path": "/a/2"}]', '{"a": [1, 2]}'),
  'patch.against_unreadable': operations('[{"op": "remove", "path": "/a"}]', '[1, 2]'),
};

const declaration = (text: string): Example =>
  byValidator(`PUT …/logo.png ${text}`, () => validateDeclaration(text, { key: 'logo.png' }));

const sizedFile = (size: number): Example => declaration(`{"size": ${size}}`);

/** A file of one byte that joins a row with `count` files of `size` bytes each. */
function joining(given: string, count: number, size: number, kind: FileOptions['kind']): Example {
  const files = Array.from({ length: count }, (_, index) => ({ key: `f${index}`, size }));
  const listing = JSON.stringify(files);
  return byValidator(given, () => validateFile({ key: 'logo.png', size: 1, kind, listing }));
}

const quota = FILES_TOTAL.member;

export const FILE_EXAMPLES: Examples<'file' | 'files'> = {
  'file.key_invalid': byValidator('the key "Résumé 1.pdf"', () => validateKey('Résumé 1.pdf')),
  'file.size_missing': declaration('{}'),
  'file.size_invalid': declaration('{"size": "2 KB"}'),
  'file.too_large': sizedFile(FILE_SIZE.bytes + 1),
  'file.maybe_too_large': sizedFile(FILE_SIZE.cautiousBytes + 1),
  'file.mimetype_invalid': declaration('{"size": 2048, "mimetype": 7}'),
  'file.filename_invalid': declaration('{"size": 2048, "filename": ["logo.png"]}'),
  'file.attachment_invalid': declaration('{"size": 2048, "attachment": "yes"}'),
  'file.null_field': declaration('{"size": 2048, "filename": null}'),
  'file.not_found': byParams('GET …/logo.png where no file has the key', { key: 'logo.png' }),
  'file.listing_unreadable': byValidator('--with of {"logo.png": 2048}', () =>
    validateFile({ key: 'logo.png', size: 1, listing: '{"logo.png": 2048}' }),
  ),
  'files.too_many': joining(
    `a new key in a row of ${FILES_PER_ROW} files`,
    FILES_PER_ROW,
    1,
    'member',
  ),
  'files.quota_exceeded': joining(
    `a file of 1 byte in a member row that holds ${quota.bytes} bytes`,
    1,
    quota.bytes,
    'member',
  ),
  'files.maybe_quota_exceeded': joining(
    `a file of 1 byte in a member row that holds ${quota.cautiousBytes} bytes`,
    1,
    quota.cautiousBytes,
    'member',
  ),
};

const grade = (text: string): Example => byValidator(text, () => validateGrade(text));

export const GRADE_EXAMPLES: Examples<'grade' | 'grade_url'> = {
  'grade.score_missing': grade('{"points": 42.5}'),
  'grade.score_not_number': grade('{"score": "0.85"}'),
  'grade.score_range': grade('{"score": 42.5}'),
  'grade.max_score_not_number': grade('{"score": 0.85, "max_score": "50"}'),
  'grade.max_score_range': grade('{"score": 0.85, "max_score": 0}'),
  'grade.comment_not_string': grade('{"score": 0.85, "comment": ["good"]}'),
  'grade.activity_progress': grade('{"score": 0.85, "activity_progress": "completed"}'),
  'grade.grading_progress': grade('{"score": 0.85, "grading_progress": "Done"}'),
  'grade.not_assessment': byParams('POST for a location that is not an assessment'),
  'grade.null_field': grade('{"score": 0.85, "comment": null}'),
  'grade.unknown_field': grade('{"score": 0.85, "feedback": "good"}'),
  'grade.launch_id': grade('{"score": 0.85, "launch_id": "launch-7"}'),
  'grade.percent': byParams('scores of 85, 90 and 72', { hasMax: 0 }),
  'grade_url.null': byParams('a launch with "grade": {"submit": null}'),
  'grade_url.member_invalid': byParams('--member ..', { member: '..' }),
  'grade_url.not_contexts': byParams('--member m-2 with …/account/v1/users/u-1/grades'),
  'grade_url.member_absent': byParams('--member m-2 with …/contexts/c-1/grades of member m-1', {
    member: 'm-1',
  }),
  'grade_url.member_twice': byParams(
    '--member m-2 with …/contexts/c-1/m-1/m-1/grades of member m-1',
    {
      member: 'm-1',
      count: 2,
    },
  ),
};

export const AUTH_EXAMPLES: Examples<'auth'> = {
  'auth.missing': byParams('GET storage.member without an Authorization header'),
  'auth.missing_grade': byParams('POST grade.submit without an Authorization header'),
  'auth.ended': byParams('GET storage.member 12 hours after the last call'),
  'auth.unknown': byParams('GET storage.member with a token that was never given'),
  'auth.key_unknown': byParams('POST grade.submit with an API key that was rotated'),
  'auth.suspended': byParams('POST grade.submit with the API key of a suspended tool'),
  'auth.key_not_accepted': byParams('GET storage.member with an API key'),
  'auth.other_tool': byParams("POST grade.submit with another tool's API key", {
    key_tool: 'quiz',
    url_tool: 'essay',
  }),
  'auth.not_placed': byParams('POST grade.submit with an API key, for a course without the tool', {
    tool: 'essay',
    location: 'l-1',
    context: 'c-9',
  }),
  'auth.not_this_member': byParams("POST grade.submit with a student's token, for another student"),
};
