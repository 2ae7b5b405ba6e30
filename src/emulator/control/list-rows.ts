import {
  FILES_PER_ROW,
  FILES_TOTAL,
  isShared,
  ROW_KINDS,
  rowLimit,
  type RowKind,
} from '../../contract/index.ts';
import { rowKey, rowOfKey, type EmulatedRow } from '../state/rows.ts';
import { filesPath, rowPath } from '../service/addresses.ts';
import { filesOf } from '../state/files.ts';
import type { EmulatorState } from '../state/state.ts';
import { notFound } from '../http/fields.ts';
import { isFound, memberName, nameOf } from '../state/people.ts';
import type { StoredFile } from '../state/records.ts';
import * as s from '../../schema/schema.ts';
import { LIST, operation, pageFields, pageSchema } from './operation.ts';
import { inNaturalOrder, listQuery, pageOf, type ListQuery } from './query.ts';

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

export function shownFile({ key, size, modified, contentType, filename, attachment }: StoredFile) {
  return { key, size, modified, content_type: contentType, filename, attachment };
}

const FILES = s.object({
  ...ROW_FIELDS,
  ...pageFields(s.object(FILE)),
  file_bytes: s.described(s.count, 'of all files of the row'),
  quota: s.object({ files: s.count, bytes: s.count }),
});

const TAKEN = s.object(LIST);
const FILES_TAKEN = s.object({ ...LIST, row: s.nonEmptyText });

export const ROW_LISTS = {
  'GET rows': operation({
    summary: 'rows that were written, and every shared row',
    takes: TAKEN,
    answers: pageSchema(SHOWN_ROW),
    run: ({ state }, asked) => listRows(state, asked),
  }),
  'GET file-sets': operation({
    summary: 'rows with files, and every shared row',
    takes: TAKEN,
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

interface ListedRow {
  readonly key: string;
  readonly bytes: number | null;
}

/** Rows that were written, and every shared row. `search` matches people and placements too. */
function listRows(state: EmulatorState, asked: Partial<ListQuery>) {
  const query = listQuery(asked);
  const sizes = state.store.rowSizes();
  const written = inNaturalOrder(sizes.keys(), (key) => key);
  const unwritten = sharedRows(state).filter((key) => !sizes.has(key));
  const rows: ListedRow[] = [...written, ...unwritten].map((key) => {
    return { key, bytes: sizes.get(key) ?? null };
  });
  const isOfFound = rowFinder(state, query.search);
  const matches = ({ key }: ListedRow): boolean =>
    isFound(query.search, [], [key]) || isOfFound(key);
  return pageOf(rows, query, matches, ({ key, bytes }) => shownRow(state, key, bytes), {
    row: ({ key }) => key,
    person: ({ key }) => personOf(state, key),
    bytes: ({ bytes }) => bytes ?? -1,
  });
}

/**
 * Returns a test whether a row belongs to a course, placement or person with this text in its name.
 * The names are searched once, not for each row.
 */
function rowFinder(state: EmulatorState, search: string): (key: string) => boolean {
  const { courses, locations, members } = state.world;
  const idsOf = <Item extends { readonly id: string }>(
    items: Iterable<Item>,
    nameIn: (item: Item) => string,
  ): Set<string> => {
    const ids = new Set<string>();
    for (const item of items) if (isFound(search, [nameIn(item)])) ids.add(item.id);
    return ids;
  };
  const titled = ({ title }: { readonly title: string }): string => title;
  const inCourse = idsOf(courses.values(), titled);
  const matching = {
    course: inCourse,
    location: idsOf(locations.values(), titled),
    member: idsOf(members.values(), nameOf),
  };
  const isLocation = (id: string): boolean =>
    matching.location.has(id) || matching.course.has(locations.get(id)?.course ?? '');
  const isMember = (id: string): boolean =>
    matching.member.has(id) || matching.course.has(members.get(id)?.course ?? '');
  return (key) => {
    const [kind, , first = '', second = ''] = key.split('/');
    if (kind === 'context') return matching.course.has(first);
    if (kind === 'location') return isLocation(first);
    if (kind === 'member') return isMember(first);
    return isLocation(first) || isMember(second);
  };
}

/** The names of the rows that every member of a course shares. */
function sharedRows({ world }: EmulatorState): string[] {
  const keys = [...world.locations.values()].flatMap(({ id: location, tool, course }) => {
    const parts = { tool, course, location, member: '' };
    return [rowKey({ kind: 'context', ...parts }), rowKey({ kind: 'location', ...parts })];
  });
  return inNaturalOrder(new Set(keys), (key) => key);
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
    unprovisioned: row !== undefined && isShared(kind) && !state.provisioned.has(key),
    limit: row === undefined ? 0 : rowLimit(kind).bytes,
    url: row === undefined ? '' : state.urls.api + rowPath(state, row),
    files_url: row === undefined ? '' : state.urls.api + filesPath(state, row),
  };
}

/** Rows with files, and every shared row. `search` matches the keys of files too. */
function listFileSets(state: EmulatorState, asked: Partial<ListQuery>) {
  const query = listQuery(asked);
  const sets = new Map<string, { files: number; bytes: number; keys: string[] }>();
  for (const { row, key, size } of state.files.values()) {
    const set = sets.get(row) ?? { files: 0, bytes: 0, keys: [] };
    set.files++;
    set.bytes += size;
    set.keys.push(key);
    sets.set(row, set);
  }
  for (const row of sharedRows(state)) {
    if (!sets.has(row)) sets.set(row, { files: 0, bytes: 0, keys: [] });
  }
  // Those that have files first.
  const sorted = inNaturalOrder(sets, ([row]) => row).sort(
    ([, a], [, b]) => Number(b.files > 0) - Number(a.files > 0),
  );
  const isOfFound = rowFinder(state, query.search);
  const matches = ([row, { keys }]: (typeof sorted)[number]): boolean =>
    isFound(query.search, keys, [row]) || isOfFound(row);
  return pageOf(
    sorted,
    query,
    matches,
    ([row, { files, bytes }]) => {
      return { ...shownRow(state, row, null), files, file_bytes: bytes };
    },
    {
      row: ([row]) => row,
      person: ([row]) => personOf(state, row),
      files: ([, { files }]) => files,
      bytes: ([, { bytes }]) => bytes,
    },
  );
}

/** The name of the person whose row it is; '' for a shared row. */
function personOf(state: EmulatorState, key: string): string {
  const member = rowOfKey(state, key)?.member ?? '';
  return memberName(state, member) || member;
}

/** The files of a row: one page, unless a limit is given. */
function listFiles(state: EmulatorState, asked: s.Static<typeof FILES_TAKEN>) {
  const query = listQuery({ limit: FILES_PER_ROW, ...asked });
  const row = rowIn(state, asked.row);
  const files = inNaturalOrder(filesOf(state, row.key), ({ key }) => key);
  const matches = ({ key, filename }: StoredFile): boolean =>
    isFound(query.search, [filename], [key]);
  return {
    ...shownRow(state, row.key, null),
    ...pageOf(files, query, matches, shownFile, {
      key: ({ key }) => key,
      size: ({ size }) => size,
      modified: ({ modified }) => modified,
    }),
    file_bytes: files.reduce((sum, { size }) => sum + size, 0),
    quota: { files: FILES_PER_ROW, bytes: FILES_TOTAL[row.kind].bytes },
  };
}

/** The row with this name; refuses an unknown one. */
export function rowIn(state: EmulatorState, key: string): EmulatedRow {
  const row = rowOfKey(state, key);
  if (row === undefined) throw notFound('row', key);
  return row;
}
