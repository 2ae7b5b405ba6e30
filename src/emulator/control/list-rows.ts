import {
  FILES_PER_ROW,
  FILES_TOTAL,
  isShared,
  ROW_KINDS,
  rowLimit,
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
import { TAKEN } from '../../control-api/taken.ts';
import * as s from '../../schema/schema.ts';
import { operation, pageFields, pageSchema, schemasOf, SORT } from './operation.ts';
import { listPage, type ListQuery, NAME, natural } from './query.ts';

/** A row as it is shown. A row whose placement is gone has only its kind. */
export const ROW_FIELDS = {
  row: s.text,
  bytes: s.described(s.nullable(s.count), 'null for a row that was never written'),
  known: s.bool,
  kind: s.oneOf(...ROW_KINDS),
  ...s.texts('tool', 'course', 'location', 'member', 'name'),
  unprovisioned: s.bool,
  limit: s.described(s.count, 'in bytes'),
  url: s.text,
  files_url: s.text,
};
const SHOWN_ROW = s.object(ROW_FIELDS);
type ShownRow = s.Static<typeof SHOWN_ROW>;

const FILE_SET = s.object({ ...ROW_FIELDS, files: s.count, file_bytes: s.count });

export const FILE = {
  ...s.texts('key', 'content_type', 'filename'),
  size: s.count,
  modified: s.described(s.anyNumber, 'milliseconds since the epoch'),
  attachment: s.bool,
};

export function shownFile({ key, size, modified, content_type, filename, attachment }: StoredFile) {
  return { key, size, modified, content_type, filename, attachment };
}

const FILES = s.object({
  ...ROW_FIELDS,
  ...pageFields(s.object(FILE)),
  file_bytes: s.described(s.count, 'of all files of the row'),
  quota: s.object({ files: s.count, bytes: s.count }),
});

const PAGE = s.object({ ...schemasOf(TAKEN.page), ...SORT });
const FILES_TAKEN = s.object({ ...schemasOf(TAKEN.files), ...SORT });

export const ROW_LISTS = {
  'GET rows': operation({
    summary: 'rows that were written, and every shared row',
    takes: PAGE,
    answers: pageSchema(SHOWN_ROW),
    run: ({ state }, asked) => listRows(state, asked),
  }),
  'GET file-sets': operation({
    summary: 'rows with files, and every shared row',
    takes: PAGE,
    answers: pageSchema(FILE_SET),
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
const PLACES = [NAME, 'courses.title', "coalesce(locations.title, '')"];
const PERSON = natural(`coalesce(nullif(${NAME}, ''), rows.member, '')`);

interface ListedRow {
  readonly key: string;
  readonly bytes: number | null;
}

/** Rows that were written, and every shared row. `search` matches people and placements too. */
function listRows(state: EmulatorState, asked: ListQuery) {
  const list = {
    select: 'rows.key, length(body) AS bytes',
    from: ROWS,
    where: [['body IS NOT NULL OR rows.member IS NULL']] as const,
    texts: PLACES,
    ids: ['rows.key'],
    sorts: {
      row: natural('rows.key'),
      person: PERSON,
      bytes: 'coalesce(length(body), -1)',
    },
    // Those that were written first.
    order: `(body IS NULL) || ${natural('rows.key')}`,
    key: 'rows.key',
  };
  return listPage(state.store, list, asked, ({ key, bytes }: ListedRow) =>
    shownRow(state, key, bytes),
  );
}

export function shownRow(state: EmulatorState, key: string, bytes: number | null): ShownRow {
  const row = rowOfKey(state, key);
  const { tool = '', course = '', location = '', member = '' } = row ?? {};
  const kind = row?.kind ?? (key.split('/')[0] as RowKind);
  return {
    row: key,
    bytes,
    // A placement that was removed by a seed or an import leaves its rows.
    known: row !== undefined,
    kind,
    tool,
    course,
    location,
    member,
    name: memberName(state, member),
    unprovisioned: row !== undefined && isShared(kind) && state.rows.provisioned(key) === null,
    limit: row === undefined ? 0 : rowLimit(kind).bytes,
    url: row === undefined ? '' : state.urls.api + rowPath(state, row),
    files_url: row === undefined ? '' : state.urls.api + filesPath(state, row),
  };
}

interface ListedSet {
  readonly key: string;
  readonly files: number;
  readonly bytes: number;
}

/** Rows with files, and every shared row. `search` matches the keys of files too. */
function listFileSets(state: EmulatorState, asked: ListQuery) {
  const sets = `SELECT row, count(*) AS files, sum(size) AS bytes, group_concat(key, ' ') AS keys
    FROM files GROUP BY row`;
  const list = {
    select: 'rows.key, coalesce(files, 0) AS files, coalesce(bytes, 0) AS bytes',
    from: `${ROWS} LEFT JOIN (${sets}) AS sets ON sets.row = rows.key`,
    where: [['files > 0 OR rows.member IS NULL']] as const,
    texts: [...PLACES, "coalesce(keys, '')"],
    ids: ['rows.key'],
    sorts: {
      row: natural('rows.key'),
      person: PERSON,
      files: 'coalesce(files, 0)',
      bytes: 'coalesce(bytes, 0)',
    },
    // Those that have files first.
    order: `(files IS NULL) || ${natural('rows.key')}`,
    key: 'rows.key',
  };
  return listPage(state.store, list, asked, ({ key, files, bytes }: ListedSet) => {
    return { ...shownRow(state, key, null), files, file_bytes: bytes };
  });
}

/** The files of a row: one page, unless a limit is given. */
function listFiles(state: EmulatorState, asked: s.Static<typeof FILES_TAKEN>) {
  const row = rowIn(state, asked.row);
  const list = {
    select: 'key',
    from: 'files',
    where: [['row = ?', row.key]] as const,
    texts: ['filename'],
    ids: ['key'],
    sorts: { key: natural('key'), size: 'size', modified: 'modified' },
    order: natural('key'),
    key: 'key',
  };
  const page = listPage(
    state.store,
    list,
    { limit: FILES_PER_ROW, ...asked },
    ({ key }: { key: string }) => shownFile(state.files.get(row.key, key) as StoredFile),
  );
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
