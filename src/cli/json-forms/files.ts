import {
  any,
  bool,
  count,
  described,
  document,
  type JsonForms,
  list,
  mapOf,
  nullable,
  number,
  object,
  oneOf,
  open,
  text,
} from './form.ts';
import { report, request } from './shared.ts';

/** Numbers of the service, which are shown as they came. */
const item = open(object({ key: text, size: number, modified: number }));

const skipped = list(object({ name: text, reason: text }));

const outcome = oneOf(
  'uploaded',
  'downloaded',
  'deleted',
  'absent',
  'failed',
  'in_doubt',
  'not_done',
);

const batch = {
  files: list(
    object({
      'path?': text,
      key: text,
      size: nullable(count),
      outcome,
      error: nullable(report),
    }),
  ),
  summary: described(mapOf(count), 'files: all of them; then how many of each outcome'),
};

const done = document('the files and their outcomes', object(batch));

const upload = object({
  dry_run: oneOf(true),
  method: oneOf('PUT'),
  url: text,
  body: any,
  findings: list(any),
  path: text,
  mimetype: text,
});

export const FILES_FORMS: JsonForms = {
  'files ls': [document('the files, as the service lists them', list(item))],
  'files stat': [
    document(
      'the record, its signed url with --show-url only',
      open(object({ key: text, size: number, modified: number, 'url?': text })),
    ),
  ],
  'files upload': [
    done,
    document('the declaration, with --dry-run', upload),
    document('the declarations, with --dry-run', list(upload)),
  ],
  'files download': [done],
  'files rm': [
    done,
    document('the request, with --dry-run', request),
    document('the requests, with --dry-run', list(request)),
  ],
  'files sync': [
    document('the files and their outcomes', object({ ...batch, skipped })),
    document(
      'the plan, with --dry-run',
      object({
        dry_run: oneOf(true),
        direction: oneOf('up', 'down'),
        deletes_first: bool,
        steps: list(
          object({
            action: oneOf('upload', 'download', 'delete'),
            key: text,
            size: count,
            reason: text,
          }),
        ),
        skipped,
        summary: object({ copies: count, deletes: count }),
      }),
    ),
  ],
};
