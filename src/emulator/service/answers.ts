import {
  ACTIVITY_PROGRESS,
  type FileItem,
  type FileRecord,
  type GradeAttempt,
  GRADING_PROGRESS,
} from '../../contract/index.ts';
import * as s from '../../schema/schema.ts';

/* The responses of the service ("Resources and their fields"). */

const milliseconds = s.described(s.integer, 'milliseconds since the epoch');

const FILE_ITEM = { key: s.nonEmptyText, size: s.count, modified: milliseconds };

export const FILE_LISTING: s.Schema<readonly FileItem[]> = s.list(s.object(FILE_ITEM));

export const FILE_RECORD: s.Schema<FileRecord> = s.object({
  ...FILE_ITEM,
  content_type: s.text,
  url: s.described(s.text, 'download address, valid until expires'),
  expires: s.described(s.integer, 'milliseconds since the epoch, a few minutes ahead'),
});

export const SIGNED_FORM = s.object({
  url: s.described(s.text, 'address to POST the bytes of the file to'),
  fields: s.described(
    s.mapOf(s.text),
    'entries of the form to send before the file; names and values are opaque',
  ),
});

export const GRADE_ATTEMPT: s.Schema<GradeAttempt> = s.object({
  id: s.described(s.nonEmptyText, 'attempt ID; no endpoint reads it back'),
  status: s.oneOf('success', 'failed'),
  score: s.described(s.numberIn(0, 1), 'the fraction sent'),
  max_score: s.described(s.nullable(s.positive), 'the value sent, null when none was sent'),
  activity_progress: s.oneOf(...ACTIVITY_PROGRESS),
  grading_progress: s.oneOf(...GRADING_PROGRESS),
  submitted: s.described(s.instant, 'the same instant is given to the LMS'),
  lineitem: s.described(s.text, 'the gradebook column, as the LMS names it'),
  data: s.object({
    comment: s.text,
    response: s.described(
      s.nullable(s.object({ status: s.httpStatus, body: s.any })),
      "the LMS's own answer; null when the attempt never reached the LMS",
    ),
    error: s.described(s.text, 'reason of a failed attempt; empty on success'),
    source_type: s.oneOf('launch_token', 'session', 'api_key'),
    source_id: s.described(s.text, 'the user ID of the person acted as; empty for an API key'),
  }),
  annotations: s.object(s.texts('member', 'location', 'app', 'context')),
});

/** The public keys that requests to external tools are signed with; lectern's own. */
export const KEYS = s.object({ keys: s.list(s.open(s.object({ kty: s.text, kid: s.text }))) });
