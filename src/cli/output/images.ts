import { column, type ItemOf } from './resource.ts';
import { shortKeyChanges } from './row-change.ts';
import { bytesCell, stateCell, timeCell } from './table.ts';

/** The previous versions of rows. */
export const IMAGES = {
  id: column((s) => s.count, { numeric: true, whole: true }),
  time: column((s) => s.instant, { cell: (time, now) => timeCell(Date.parse(time), now) }),
  row: column((s) => s.text, { whole: true }),
  command: column((s) => s.described(s.text, 'what was done to the row'), { drop: 2 }),
  bytes: column((s) => s.described(s.count, 'of the row as it was'), {
    numeric: true,
    drop: 1,
    cell: bytesCell,
  }),
  changes: column(
    (s) => {
      const names = s.list(s.text);
      const changes = s.object({ gone: names, added: names, changed: names });
      return s.described(s.nullable(changes), 'null if the resulting row was not known');
    },
    { drop: 3, cell: (changes) => (changes === null ? '' : shortKeyChanges(changes)) },
  ),
  // Whether a write is in doubt is the last to go.
  outcome: column(
    (s) =>
      s.described(
        s.nullable(s.oneOf('written', 'refused', 'not_done', 'in_doubt')),
        'null where an older lectern kept the image',
      ),
    { cell: (outcome) => (outcome === null ? null : stateCell(outcome)) },
  ),
  url: column((s) => s.described(s.text, 'with a digest in place of its query'), {
    isJsonOnly: true,
  }),
};
/** A previous version as it is listed. */
export type HistoryEntry = ItemOf<typeof IMAGES>;
