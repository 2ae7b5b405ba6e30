import {
  any,
  bool,
  count,
  described,
  document,
  instant,
  type JsonForms,
  line,
  list,
  nullable,
  object,
  oneOf,
  text,
} from './form.ts';
import { finding, request } from './shared.ts';

const written = document(
  'the outcome',
  object({
    row: text,
    outcome: described(
      oneOf('written', 'settled', 'unchanged'),
      'settled: the response was lost, but the row reads as sent',
    ),
    bytes: described(nullable(count), 'the compact size of the row'),
    before_image: described(nullable(count), 'the ID for storage undo'),
    findings: list(finding),
  }),
);
const dryRun = document('the request, with --dry-run', request);
const draft = described(text, 'the file with the edited text');

const operation = object({ op: oneOf('add', 'replace', 'remove'), path: text, 'value?': any });
const patch = described(list(operation), 'JSON Patch');

const image = {
  id: count,
  time: instant,
  row: text,
  command: text,
  outcome: nullable(oneOf('written', 'refused', 'not_done', 'in_doubt')),
  bytes: count,
  changes: nullable(object({ gone: list(text), added: list(text), changed: list(text) })),
  url: text,
};

export const STORAGE_FORMS: JsonForms = {
  'storage get': [document('the row, or the value at the pointer', any)],
  'storage put': [written, dryRun],
  'storage patch': [written, dryRun],
  'storage edit': [
    written,
    document('the draft, where the edit was not sent', object({ draft })),
    document(
      'the request, with --dry-run',
      object({
        dry_run: oneOf(true),
        method: oneOf('PATCH'),
        url: text,
        body: object({ patch }),
        findings: list(finding),
        draft,
      }),
    ),
  ],
  'storage diff': [
    document('the difference', object({ same: bool, patch })),
    document('the JSON Patch, with --patch', patch),
  ],
  'storage size': [
    document(
      'the size',
      object({
        row: text,
        kind: nullable(text),
        bytes: count,
        limit: nullable(count),
        keys: list(object({ key: text, pointer: text, bytes: count })),
      }),
    ),
  ],
  'storage copy': [written, dryRun],
  'storage history': [
    document('the previous versions', list(object(image))),
    document('one of them, with --show', object({ ...image, base64: text })),
  ],
  'storage history on': [document('whether they are kept', object({ history: bool }))],
  'storage history off': [document('whether they are kept', object({ history: bool }))],
  'storage history clear': [document('how many were deleted', object({ cleared: count }))],
  'storage undo': [written, dryRun],
  'storage watch': [line('a change', object({ time: instant, row: text, bytes: count, patch }))],
};
