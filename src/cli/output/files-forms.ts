import * as s from '../../schema/schema.ts';
import {
  document,
  type JsonForms,
  list,
  listIn,
  oneOfLists,
  planned,
  report,
  request,
} from './forms.ts';

/** Numbers of the service, which are printed unchanged. */
const item = { key: s.text, size: s.anyNumber, modified: s.anyNumber };

const skipped = s.list(s.object({ name: s.text, reason: s.text }));

const outcome = s.oneOf(
  'uploaded',
  'downloaded',
  'deleted',
  'absent',
  'failed',
  'in_doubt',
  'not_done',
);

const RESULT = s.object({
  'path?': s.described(s.text, 'where the file came from the disk or went there'),
  key: s.text,
  size: s.nullable(s.count),
  outcome,
  error: s.nullable(report),
});
/** A file of a batch, and its result. */
export type FileResult = s.Static<typeof RESULT>;

const batch = {
  files: s.list(RESULT),
  summary: s.described(s.mapOf(s.count), 'files: all of them; then how many of each outcome'),
};

const step = {
  action: s.oneOf('upload', 'download', 'delete'),
  key: s.text,
  size: s.count,
  reason: s.text,
};

const done = oneOfLists(
  'results',
  listIn('files', document('the files and their outcomes', s.object(batch))),
);

const upload = s.object({ ...planned, method: s.oneOf('PUT'), path: s.text, mimetype: s.text });

export const FILES_FORMS = {
  'files ls': [list('the files, as the service lists them', s.open(s.object(item)))],
  'files stat': [
    document(
      'the record, its signed url with --show-url only',
      s.open(s.object({ ...item, 'url?': s.text })),
    ),
  ],
  'files upload': [
    done,
    oneOfLists('plan', document('the declaration, with --dry-run', upload)),
    oneOfLists('plan', list('the declarations, with --dry-run', upload)),
  ],
  'files download': [done],
  'files rm': [
    done,
    oneOfLists('plan', document('the request, with --dry-run', request)),
    oneOfLists('plan', list('the requests, with --dry-run', request)),
  ],
  'files sync': [
    oneOfLists(
      'results',
      listIn('files', document('the files and their outcomes', s.object({ ...batch, skipped }))),
    ),
    oneOfLists(
      'plan',
      listIn(
        'steps',
        document(
          'the plan, with --dry-run',
          s.object({
            dry_run: s.oneOf(true),
            direction: s.oneOf('up', 'down'),
            deletes_first: s.bool,
            steps: s.list(s.object(step)),
            skipped,
            summary: s.object({ copies: s.count, deletes: s.count }),
          }),
        ),
      ),
    ),
  ],
} satisfies JsonForms;
