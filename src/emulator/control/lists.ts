import {
  FILES_PER_ROW,
  FILES_TOTAL,
  isShared,
  ROW_SIZE,
  type RowKind,
} from '../../contract/index.ts';
import type { ResourceItem } from '../../control-api/resources.ts';
import { columnSchemas, schemasOf } from '../../control-api/schemas.ts';
import { TAKEN } from '../../control-api/taken.ts';
import * as s from '../../schema/schema.ts';
import { notFound } from '../http/refusals.ts';
import { filesPath, rowPath } from '../service/addresses.ts';
import { GRADEBOOK } from '../state/attempts.ts';
import { filesOf } from '../state/files.ts';
import { memberName } from '../state/people.ts';
import type { StoredFile, Token } from '../state/records.ts';
import type { EmulatedRow } from '../state/row-table.ts';
import { rowOfKey } from '../state/rows.ts';
import type { EmulatorState } from '../state/state.ts';
import { endOf, EXPIRY, expiryOf } from '../state/tokens.ts';
import { IN_GROUP } from '../state/world.ts';
import { operation } from './operation.ts';
import { equal, listOperation, listPage, natural, pageFields, SORT } from './query.ts';

/** Rows with the person, the placement and the course that they belong to. */
const ROWS = `rows LEFT JOIN members ON members.id = rows.member
  LEFT JOIN locations ON locations.id = rows.location JOIN courses ON courses.id = rows.course`;
const PLACES = ['courses.title', "coalesce(locations.title, '')"];

const FILE_SETS = `SELECT row, count(*) AS files, sum(size) AS bytes, group_concat(key, ' ') AS keys
  FROM files GROUP BY row`;

/** The maximum length of an LMS response in a list. */
const SHOWN_RESPONSE_CHARACTERS = 2000;

export const LIST_OPERATIONS = {
  'GET members': listOperation('members', {
    summary: 'members of the courses',
    takes: { ...schemasOf(TAKEN.members), 'role?': s.text },
    source: (_state, { course, role }) => ({
      from: 'members',
      where: [
        ...equal('course', course),
        ...(role === undefined ? [] : [[IN_GROUP, role] as const]),
      ],
      order: 'rowid',
      key: 'rowid',
    }),
  }),
  'GET tokens': listOperation('tokens', {
    summary: 'tokens by their launch, the latest first; the tokens themselves are secrets',
    takes: schemasOf(TAKEN.tokens),
    source: (state, { live }) => {
      const now = state.clock.now();
      const isLive = `ended = '' AND ${EXPIRY} > ${now}`;
      return {
        from: 'tokens LEFT JOIN members ON members.id = member',
        select: 'token',
        where: live ? [[isLive]] : [],
        // Ended tokens have no time left.
        sorts: { seconds_left: `iif(${isLive}, ${EXPIRY}, 0)` },
        order: '-tokens.rowid',
        key: 'tokens.rowid',
        compute: (_row, { token: text }) => {
          const token = state.tokens.get(String(text)) as Token;
          const [ended, expires] = [endOf(token, now), expiryOf(token)];
          const left = ended === '' ? Math.ceil((expires - now) / 1000) : 0;
          return { ended, expires, seconds_left: left, last_call: token.last_call };
        },
      };
    },
  }),
  'GET rows': listOperation('rows', {
    summary: 'rows that were written, and every shared row',
    takes: schemasOf(TAKEN.page),
    source: (state) => ({
      from: ROWS,
      where: [['size IS NOT NULL OR rows.member IS NULL']],
      texts: PLACES,
      // Those that were written first.
      order: `(size IS NULL) || ${natural('rows.key')}`,
      key: 'rows.key',
      compute: ({ row, bytes }) => shownRow(state, row, bytes),
    }),
  }),
  'GET file-sets': listOperation('file-sets', {
    summary: 'rows with files, and every shared row',
    takes: schemasOf(TAKEN.page),
    source: (state) => ({
      from: `${ROWS} LEFT JOIN (${FILE_SETS}) AS sets ON sets.row = rows.key`,
      where: [['files > 0 OR rows.member IS NULL']],
      texts: [...PLACES, "coalesce(keys, '')"],
      // Those that have files first.
      order: `(files IS NULL) || ${natural('rows.key')}`,
      key: 'rows.key',
      compute: ({ row }) => shownRow(state, row, null),
    }),
  }),
  'GET files': operation({
    summary: 'the files of a row, at most a hundred, and their quota',
    takes: s.object({ ...schemasOf(TAKEN.files), ...SORT }),
    answers: s.object({
      ...columnSchemas('rows'),
      ...pageFields('files'),
      file_bytes: s.described(s.count, 'of all files of the row'),
      quota: s.object({ files: s.count, bytes: s.count }),
    }),
    run: ({ state }, asked) => {
      const { key, kind } = rowIn(state, asked.row);
      const where = equal('row', key);
      const source = { from: 'files', where, order: natural('key'), key: 'key' };
      return {
        ...shownRow(state, key, null),
        // One page, unless a limit is given.
        ...listPage(state.store, 'files', source, { limit: FILES_PER_ROW, ...asked }),
        file_bytes: filesOf(state, key).reduce((sum, { size }) => sum + size, 0),
        quota: { files: FILES_PER_ROW, bytes: FILES_TOTAL[kind].bytes },
      };
    },
  }),
  'GET attempts': listOperation('attempts', {
    summary: 'attempts, the latest first',
    takes: { ...schemasOf(TAKEN.attempts), 'status?': s.text },
    source: (_state, { location, member, status }) => ({
      from: 'attempts LEFT JOIN members ON members.id = member',
      select: "record -> '$.data.response' AS answered",
      where: [
        ...equal('location', location),
        ...equal('member', member),
        ...equal('status', status),
      ],
      order: '-sequence',
      key: 'sequence',
      compute: (_row, { answered }) => ({ response: shownResponse(String(answered)) }),
    }),
  }),
  'GET gradebook': listOperation('gradebook', {
    summary: 'what the LMS has',
    takes: schemasOf(TAKEN.grades),
    source: (_state, { location }) => ({
      from: `(${GRADEBOOK}) LEFT JOIN members ON members.id = member`,
      where: equal('location', location),
      order: 'location',
      key: "location || ' ' || member",
    }),
  }),
};

function shownResponse(json: string): unknown {
  if (json.length <= SHOWN_RESPONSE_CHARACTERS) return JSON.parse(json) as unknown;
  return `${json.slice(0, SHOWN_RESPONSE_CHARACTERS)}…`;
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

/** The row with this name; refuses an unknown one. */
export function rowIn(state: EmulatorState, key: string): EmulatedRow {
  const row = rowOfKey(state, key);
  if (row === undefined) throw notFound('row', key);
  return row;
}

export function shownFile({ row, key, size, modified, content_type, ...more }: StoredFile) {
  const { filename, attachment } = more;
  return { row, key, size, modified, content_type, filename, attachment };
}
