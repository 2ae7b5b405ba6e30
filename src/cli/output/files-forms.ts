import * as s from '../../schema/schema.ts';
import {
  itemSchema,
  document,
  type JsonForms,
  list,
  listIn,
  oneOfLists,
  planned,
  report,
  request,
} from './forms.ts';
import { FILE_RESULTS, LISTING, STEPS } from './files.ts';

const item = itemSchema(LISTING);

const skipped = s.list(s.object({ name: s.text, reason: s.text }));

const batch = {
  files: s.list(itemSchema(FILE_RESULTS, { error: s.nullable(report) })),
  summary: s.described(s.mapOf(s.count), 'files: all of them; then how many of each outcome'),
};

const done = oneOfLists('results', listIn('files', 'the files and their outcomes', batch));

const upload = s.object({ ...planned, method: s.oneOf('PUT'), path: s.text, mimetype: s.text });

export const FILES_FORMS = {
  'files ls': list('the files, as the service lists them', s.open(item)),
  'files stat': document(
    'the record, its signed url with --show-url only',
    s.open(itemSchema(LISTING, { 'url?': s.text })),
  ),
  'files upload': [
    done,
    oneOfLists('plan', document('the declaration, with --dry-run', upload)),
    oneOfLists('plan', list('the declarations, with --dry-run', upload)),
  ],
  'files download': done,
  'files rm': [
    done,
    oneOfLists('plan', document('the request, with --dry-run', request)),
    oneOfLists('plan', list('the requests, with --dry-run', request)),
  ],
  'files sync': [
    oneOfLists('results', listIn('files', 'the files and their outcomes', { ...batch, skipped })),
    oneOfLists(
      'plan',
      listIn('steps', 'the plan, with --dry-run', {
        dry_run: s.oneOf(true),
        direction: s.oneOf('up', 'down'),
        deletes_first: s.bool,
        steps: s.list(itemSchema(STEPS)),
        skipped,
        summary: s.object({ copies: s.count, deletes: s.count }),
      }),
    ),
  ],
} satisfies JsonForms;
