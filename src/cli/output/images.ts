import type { ListColumns, ItemOf } from './resource.ts';
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
