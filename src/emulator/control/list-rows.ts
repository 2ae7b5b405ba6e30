import {
  FILES_PER_ROW,
  FILES_TOTAL,
  isShared,
  ROW_SIZE,
  type RowKind,
} from '../../contract/index.ts';
import type { EmulatedRow } from '../state/row-table.ts';
import { rowOfKey } from '../state/rows.ts';
import { filesPath, rowPath } from '../service/addresses.ts';
import { filesOf } from '../state/files.ts';
import type { EmulatorState } from '../state/state.ts';
import { notFound } from '../http/fields.ts';
import { memberName } from '../state/people.ts';
import type { StoredFile } from '../state/records.ts';
import type { ResourceItem } from '../../control-api/resources.ts';
import { columnSchemas, schemasOf } from '../../control-api/schemas.ts';
import { TAKEN } from '../../control-api/taken.ts';
import * as s from '../../schema/schema.ts';
import { operation, SORT } from './operation.ts';
import { listPage, type ListQuery, natural, pageFields, pageSchema } from './query.ts';

export function shownFile({ row, key, size, modified, content_type, ...more }: StoredFile) {
  const { filename, attachment } = more;
  return { row, key, size, modified, content_type, filename, attachment };
}

const FILES = s.object({
  ...columnSchemas('rows'),
  ...pageFields('files'),
  file_bytes: s.described(s.count, 'of all files of the row'),
  quota: s.object({ files: s.count, bytes: s.count }),
});

const PAGE = s.object({ ...schemasOf(TAKEN.page), ...SORT });
const FILES_TAKEN = s.object({ ...schemasOf(TAKEN.files), ...SORT });

export const ROW_LISTS = {
  'GET rows': operation({
    summary: 'rows that were written, and every shared row',
    takes: PAGE,
    answers: pageSchema('rows'),
    run: ({ state }, asked) => listRows(state, asked),
  }),
  'GET file-sets': operation({
    summary: 'rows with files, and every shared row',
    takes: PAGE,
    answers: pageSchema('file-sets'),
    run: ({ state }, asked) => listFileSets(state, asked),
  }),
  'GET files': operation({
    summary: 'the files of a row, at most a hundred, and their quota',
    takes: FILES_TAKEN,
    answers: FILES,
    run: ({ state }, asked) => listFiles(state, asked),
  }),
};

/** Rows with the person, the placement and the course that they belong to. */
const ROWS = `rows LEFT JOIN members ON members.id = rows.member
  LEFT JOIN locations ON locations.id = rows.location JOIN courses ON courses.id = rows.course`;
const PLACES = ['courses.title', "coalesce(locations.title, '')"];

/** Rows that were written, and every shared row. `search` matches people and placements too. */
function listRows(state: EmulatorState, asked: ListQuery) {
  const source = {
    from: ROWS,
    where: [['size IS NOT NULL OR rows.member IS NULL']] as const,
    texts: PLACES,
    // Those that were written first.
    order: `(size IS NULL) || ${natural('rows.key')}`,
    key: 'rows.key',
  };
  return listPage(state.store, 'rows', source, asked, ({ row, bytes }) =>
    shownRow(state, row, bytes),
  );
}

export function shownRow(
  state: EmulatorState,
  key: string,
  bytes: number | null,
): ResourceItem<'rows'> {
  const row = rowOfKey(state, key);
  const { tool = '', course = '', location = '', member = '' } = row ?? {};
  const kind = row?.kind ?? (key.split('/')[0] as RowKind);
  const unprovisioned = row !== undefined && isShared(kind) && state.rows.provisioned(key) === null;
  const written = bytes === null ? 'never written' : 'written';
  return {
    row: key,
    bytes,
    state: row === undefined ? 'placement gone' : unprovisioned ? 'unprovisioned' : written,
    // A placement that was removed by a seed or an import leaves its rows.
    known: row !== undefined,
    kind,
    tool,
    course,
    location,
    member,
    name: memberName(state, member),
    unprovisioned,
    limit: row === undefined ? 0 : ROW_SIZE[kind].bytes,
    url: row === undefined ? '' : state.urls.api + rowPath(state, row),
    files_url: row === undefined ? '' : state.urls.api + filesPath(state, row),
  };
}

/** Rows with files, and every shared row. `search` matches the keys of files too. */
function listFileSets(state: EmulatorState, asked: ListQuery) {
  const sets = `SELECT row, count(*) AS files, sum(size) AS bytes, group_concat(key, ' ') AS keys
    FROM files GROUP BY row`;
  const source = {
    from: `${ROWS} LEFT JOIN (${sets}) AS sets ON sets.row = rows.key`,
    where: [['files > 0 OR rows.member IS NULL']] as const,
    texts: [...PLACES, "coalesce(keys, '')"],
    // Those that have files first.
    order: `(files IS NULL) || ${natural('rows.key')}`,
    key: 'rows.key',
  };
  return listPage(state.store, 'file-sets', source, asked, ({ row }) => shownRow(state, row, null));
}

/** The files of a row: one page, unless a limit is given. */
function listFiles(state: EmulatorState, asked: s.Static<typeof FILES_TAKEN>) {
  const row = rowIn(state, asked.row);
  const source = {
    from: 'files',
    where: [['row = ?', row.key]] as const,
    order: natural('key'),
    key: 'key',
  };
  const asMany = { limit: FILES_PER_ROW, ...asked };
  const page = listPage(state.store, 'files', source, asMany, () => ({}));
  return {
    ...shownRow(state, row.key, null),
    ...page,
    file_bytes: filesOf(state, row.key).reduce((sum, { size }) => sum + size, 0),
    quota: { files: FILES_PER_ROW, bytes: FILES_TOTAL[row.kind].bytes },
  };
}

/** The row with this name; refuses an unknown one. */
export function rowIn(state: EmulatorState, key: string): EmulatedRow {
  const row = rowOfKey(state, key);
  if (row === undefined) throw notFound('row', key);
  return row;
}
