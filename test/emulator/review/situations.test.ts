import { describe, expect, test } from 'vitest';
import { SITUATIONS } from '../../../src/emulator/review/coverage.ts';

/** What the contract says can happen to a tool, sentence by sentence, and the lines of the report that are it. */
const CONTRACT: Readonly<Record<string, string>> = {
  // What the service does; Launch claims
  'grade.submit: URL, or null': 'launch.grade_null',
  'student launches carry no personal data': 'launch.student',
  'filled only when groups contains manager, instructor or assistant': 'launch.staff',
  'version: names the tool version the course runs and any upgrade offered':
    'launch.upgrade_offered',
  'URLs under /account/v1/users/…': 'launch.account',
  'provision: URLs the tool PUTs to when a course level is ready': 'launch.provision_request',
  'on a copied course, a provision request additionally carries parent rows':
    'launch.copied_course',
  // Resources
  'a row that was never written reads as an empty object': 'row.never_written',
  'DELETE: 204, also when no such file': 'file.deleted_absent',
  'download address, valid until expires': 'signed.expired',
  'storage refuses an upload that does not match': 'signed.size',
  // States and transitions
  'unprovisioned: any call to the row responds 422': 'row.unprovisioned',
  '12 hours without a call': 'token.idle auth.ended',
  'tool suspended': 'token.suspended auth.suspended',
  'user leaves the course': 'token.left',
  "a hosted tool's code is replaced under the course": 'token.code_replaced',
  'the token of a provision request has a fixed lifetime of 3 hours': 'token.provision_lifetime',
  'attempt with status success': 'attempt.success',
  'attempt with status failed: refused by the LMS': 'attempt.refused',
  'location has no line item': 'attempt.no_line_item',
  'where only the score scope is granted, the attempt is failed': 'attempt.scope',
  // Events
  'service-session-expired': 'token.session_expired',
  // Errors, Storage and files
  '401: missing bearer token': 'auth.missing auth.unknown',
  "401: the tool's API key is not accepted": 'auth.key_not_accepted',
  '403: a student writing a shared row, or another student': 'row.forbidden',
  "403: a user who is not a member of the row's course": 'row.not_member',
  '404: the row URL does not exist, or the row is of another tool': 'row.not_found',
  '404: no file has the key': 'file.not_found',
  '422: malformed body': 'body.syntax body.not_object',
  '422: a PATCH without the patch wrapper': 'patch.no_wrapper patch.not_array',
  '422: an invalid patch operation': `patch.operation_not_object patch.op_missing patch.op_not_string patch.op_unknown
    patch.op_unsupported patch.path_missing patch.path_not_string patch.path_malformed
    patch.value_missing patch.remove_root patch.root_not_object patch.target_missing
    patch.parent_not_container patch.index_invalid patch.index_out_of_bounds`,
  '422: JSON object over its size limit': 'row.too_large',
  'declaration: size integer, at most 25 MB': 'file.size_missing file.size_invalid file.too_large',
  'declaration: mimetype, filename, attachment':
    'file.mimetype_invalid file.filename_invalid file.attachment_invalid',
  'file key: 1 to 128 characters': 'file.key_invalid',
  '422: the quota of 100 files per row': 'files.too_many',
  '422: the total size quota of the row': 'files.quota_exceeded',
  // Errors, Grade submission
  '422: score must be between 0 and 1':
    'grade.score_range grade.score_missing grade.score_not_number',
  '422: max_score must be greater than 0': 'grade.max_score_range grade.max_score_not_number',
  '422: activity_progress must be one of': 'grade.activity_progress',
  '422: grading_progress must be one of': 'grade.grading_progress',
  'comment: string': 'grade.comment_not_string',
  '422: grade passback is only allowed for assessment locations': 'grade.not_assessment',
  '401: Missing Bearer API key': 'auth.missing_grade',
  '401: Invalid API key': 'auth.key_unknown',
  '403: API key is for tool …, not tool …': 'auth.other_tool',
  '403: tool … has no placement of location … in context …': 'auth.not_placed',
  '403: student aimed at anyone but themselves': 'auth.not_this_member',
  // "Status codes beyond those listed: not shown", and what every network does.
  'no usable answer': 'response.lost response.unavailable',
};

const ids: readonly string[] = SITUATIONS.map(({ id }) => id);

describe('the situations of the report', () => {
  test.each(Object.entries(CONTRACT))('cover the contract: %s', (_, lines) => {
    expect(ids).toEqual(expect.arrayContaining(lines.split(/\s+/)));
  });

  test('are each from the contract, without gaps or repetitions', () => {
    const lines = Object.values(CONTRACT).flatMap((each) => each.split(/\s+/));
    expect(ids.toSorted()).toEqual(lines.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
  });
});
