import type { ErrorReport } from './forms.ts';
import type { ListColumns, ItemOf } from './columns.ts';
import { type KeyChanges, shortKeyChanges } from './row-change.ts';

/** The previous versions of rows. */
export const IMAGES = {
  id: { type: 'count', whole: true },
  time: { type: 'instant' },
  row: { type: 'id' },
  command: { type: 'text', describes: 'what was done to the row', drop: 2 },
  bytes: { type: 'bytes', describes: 'of the row as it was', drop: 1 },
  changes: {
    schema: (s) => {
      const names = s.list(s.text);
      const changes = s.object({ gone: names, added: names, changed: names });
      return s.described(s.nullable(changes), 'null if the resulting row was not known');
    },
    drop: 3,
    cell: (changes: KeyChanges | null) => (changes === null ? '' : shortKeyChanges(changes)),
  },
  // Whether a write is in doubt is the last to go.
  outcome: {
    type: 'text?',
    choices: ['written', 'refused', 'not_done', 'in_doubt'],
    describes: 'null where an older lectern kept the image',
  },
  url: { type: 'text', describes: 'with a digest in place of its query', isJsonOnly: true },
} as const satisfies ListColumns;
/** A previous version as it is listed. */
export type HistoryEntry = ItemOf<typeof IMAGES>;

/** The rows and files of a backup, and what was done with each. */
export const RESTORED = {
  row: { type: 'id' },
  key: { type: 'text?', describes: 'of a file; null for the row itself' },
  outcome: {
    type: 'text',
    choices: ['written', 'settled', 'unchanged', 'uploaded', 'failed', 'in_doubt', 'not_done'],
  },
  before_image: { type: 'count?', describes: 'the ID for storage undo', drop: 1 },
} as const satisfies ListColumns;
export type RestoredItem = ItemOf<typeof RESTORED> & { readonly error: ErrorReport | null };

/** What would be done with each. */
export const RESTORE_PLAN = {
  row: { type: 'id' },
  key: { type: 'text?' },
  change: { type: 'text', choices: ['replace', 'unchanged', 'upload'] },
} as const satisfies ListColumns;
