import { createHash } from 'node:crypto';
import { checkRowBody, isShared } from '../../contract/index.ts';
import { bodyOf, HttpError, type PlainRequest, type Reply, UNCACHED } from '../http/messages.ts';
import { refuse, refuseAny } from '../service/refuse.ts';
import { SIGNED_FORM } from '../service/answers.ts';
import { declareFile, readDeclaration } from '../service/files/files.ts';
import { downloadUrl } from '../service/files/signing.ts';
import { forgetFile } from '../state/files.ts';
import type { EmulatedRow } from '../state/row-table.ts';
import type { EmulatorState } from '../state/state.ts';
import { columnSchemas, itemSchema } from '../../control-api/schemas.ts';
import * as s from '../../schema/schema.ts';
import { notFound } from '../http/refusals.ts';
import { rowIn, shownRow } from './lists.ts';
import { operation, streamed } from './operation.ts';

const ROW_TAKEN = s.object({ row: s.nonEmptyText, 'version?': s.integerIn(1) });
const ROW_WRITTEN = s.object({
  row: s.nonEmptyText,
  'expected?': s.described(s.text, 'the etag that was read; 409 if the row has changed'),
});

const HISTORY = s.object({
  ...columnSchemas('rows'),
  etag: s.text,
  versions: s.described(s.list(itemSchema('versions')), 'the latest, the newest first'),
});

export const ROW_OPERATIONS = {
  'GET row': streamed('application/json', {
    summary: 'the bytes of a row, or of one of its versions; the etag header identifies them',
    takes: ROW_TAKEN,
    answers: s.any,
    reply: ({ state }, asked) => Promise.resolve(showRow(state, asked)),
  }),
  'POST row': operation({
    summary: 'write a row, by the rules of a PUT',
    takes: ROW_WRITTEN,
    raw: ['application/json'],
    answers: s.object({ row: s.text, bytes: s.count, etag: s.text }),
    run: ({ state }, asked, request) => writeFromConsole(state, asked, request),
  }),
  'GET row/versions': operation({
    summary: 'a row without its bytes, and its latest versions',
    takes: s.object({ row: s.nonEmptyText }),
    answers: HISTORY,
    run: ({ state }, { row }) => showVersions(state, row),
  }),
};

const NEVER_WRITTEN = new TextEncoder().encode('{}');

function showRow(state: EmulatorState, { row: key, version }: s.Static<typeof ROW_TAKEN>): Reply {
  const row = rowIn(state, key);
  const body = version === undefined ? bytesOf(state, row) : versionOf(state, row, version);
  // Opened as a page, it must not be taken for HTML.
  const headers = { 'content-type': 'application/json', etag: tagOf(body), ...UNCACHED };
  return { status: 200, headers, body };
}

function bytesOf(state: EmulatorState, { key }: EmulatedRow): Uint8Array {
  return state.rows.body(key) ?? NEVER_WRITTEN;
}

function versionOf(state: EmulatorState, { key }: EmulatedRow, number: number): Uint8Array {
  const body = state.rows.version(key, number);
  if (body === undefined) throw notFound('such version of the row:', String(number));
  return body;
}

/** Identifies the content of a row, to detect changes. */
function tagOf(bytes: Uint8Array): string {
  return `"${createHash('sha256').update(bytes).digest('base64url')}"`;
}

function showVersions(state: EmulatorState, key: string) {
  const row = rowIn(state, key);
  const written = state.rows.body(row.key);
  return {
    ...shownRow(state, row.key, written?.length ?? null),
    etag: tagOf(written ?? NEVER_WRITTEN),
    versions: state.rows.versions(row.key),
  };
}

async function writeFromConsole(
  state: EmulatorState,
  { row: key, expected }: s.Static<typeof ROW_WRITTEN>,
  request: PlainRequest,
) {
  const body = Buffer.from(await bodyOf(request));
  const row = readyRow(state, key);
  refuseAny(state, checkRowBody(row.kind, body).violations);
  if (expected !== undefined && expected !== tagOf(bytesOf(state, row))) {
    throw new HttpError(
      409,
      'row.changed',
      'the row was changed by another write; nothing was written',
    );
  }
  state.rows.write(row, body, 'console');
  return { row: row.key, bytes: body.length, etag: tagOf(body) };
}

/*
 * Operations of staff on the files of a row. The bytes go to the signed addresses, as for a tool.
 */

const FILE = { row: s.nonEmptyText, key: s.nonEmptyText };

export const FILE_OPERATIONS = {
  'POST file/declare': operation({
    summary: 'declare a file; the answer is its signed form',
    takes: s.described(s.open(s.object(FILE)), 'with the fields of a declaration'),
    answers: SIGNED_FORM,
    run: ({ state }, { row, key, ...declaration }) =>
      declareFile(state, readyRow(state, row), key, readDeclaration(state, key, declaration)),
  }),
  'POST file/link': operation({
    summary: "the signed address of a file's bytes",
    takes: s.object(FILE),
    answers: s.object({ url: s.text, expires: s.anyNumber, filename: s.text }),
    run: ({ state }, { row, key }) => {
      const file = state.files.get(readyRow(state, row).key, key);
      if (file === undefined) refuse('file.not_found', { key });
      const expires = state.clock.now() + state.chosen.signed_for;
      return { url: downloadUrl(state, file, expires), expires, filename: file.filename };
    },
  }),
  'POST file/delete': operation({
    summary: 'delete a file; it need not exist',
    takes: s.object(FILE),
    answers: s.object({}),
    run: ({ state }, { row, key }) => {
      forgetFile(state, readyRow(state, row), key);
      return {};
    },
  }),
};

function readyRow(state: EmulatorState, key: string): EmulatedRow {
  const row = rowIn(state, key);
  if (isShared(row.kind) && state.rows.provisioned(row.key) === null) {
    refuse('row.unprovisioned', { kind: row.kind });
  }
  return row;
}
