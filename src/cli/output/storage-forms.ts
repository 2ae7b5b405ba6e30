import type { RowKind } from '../../contract/index.ts';
import * as s from '../../schema/schema.ts';
import { BACKUP_INDEX } from '../../backup/backup-index.ts';
import {
  itemSchema,
  document,
  type JsonForms,
  line,
  list,
  finding,
  planned,
  report,
  request,
  documentOf,
  withList,
} from './forms.ts';
import { IMAGES, RESTORE_PLAN, RESTORED } from './images.ts';

const written = documentOf('the outcome', {
  row: s.text,
  outcome: s.described(
    s.oneOf('written', 'settled', 'unchanged'),
    'settled: the response was lost, but the row reads as sent',
  ),
  bytes: s.described(s.nullable(s.count), 'the compact size of the row'),
  before_image: s.described(s.nullable(s.count), 'the ID for storage undo'),
  findings: s.list(finding),
});
const dryRun = document('the request, with --dry-run', request);
const draft = s.described(s.text, 'the file with the edited text');

const operation = { op: s.oneOf('add', 'replace', 'remove'), path: s.text, 'value?': s.any };
const patch = s.described(s.list(s.object(operation)), 'JSON Patch');

const IMAGE = itemSchema(IMAGES);

const SIZE = s.object({
  row: s.text,
  kind: s.nullable(s.typed<RowKind>(s.text)),
  bytes: s.count,
  limit: s.described(s.nullable(s.count), 'null where the kind is unknown'),
  keys: s.list(s.object({ key: s.text, pointer: s.text, bytes: s.count })),
});
/** The compact bytes of a row, and of each key with its value. */
export type RowSize = s.Static<typeof SIZE>;

const kept = documentOf('whether they are kept', { history: s.bool });

export const STORAGE_FORMS = {
  'storage get': document('the row, or the value at the pointer', s.any),
  'storage put': [written, dryRun],
  'storage patch': [written, dryRun],
  'storage edit': [
    written,
    documentOf('the draft, where the edit was not sent', { draft }),
    documentOf('the request, with --dry-run', {
      ...planned,
      method: s.oneOf('PATCH'),
      body: s.object({ patch }),
      draft,
    }),
  ],
  'storage diff': [
    documentOf('the difference', { same: s.bool, patch }),
    document('the JSON Patch, with --patch', patch),
  ],
  'storage size': withList('keys', document('the size', SIZE)),
  'storage copy': [written, dryRun],
  'storage history': [
    list('the previous versions', IMAGE),
    document('one of them, with --show', itemSchema(IMAGES, { base64: s.text })),
  ],
  'storage history on': kept,
  'storage history off': kept,
  'storage history clear': documentOf('how many were deleted', { cleared: s.count }),
  'storage undo': [written, dryRun],
  'storage backup': document('the index of the backup', BACKUP_INDEX),
  'storage restore': [
    documentOf('the rows and files', {
      items: s.list(itemSchema(RESTORED, { error: s.nullable(report) })),
    }),
    documentOf('what would be sent, with --dry-run', {
      dry_run: s.oneOf(true),
      items: s.list(itemSchema(RESTORE_PLAN)),
    }),
  ],
  'storage watch': line(
    'a change',
    s.object({ time: s.instant, row: s.text, bytes: s.count, patch }),
  ),
} satisfies JsonForms;
