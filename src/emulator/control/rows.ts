import { createHash } from 'node:crypto';
import { checkRowBody, isShared } from '../../contract/index.ts';
import { bodyOf, HttpError, jsonReply, type PlainRequest, type Reply } from '../http/messages.ts';
import { refuse, refuseAny } from '../service/refuse.ts';
import type { EmulatedRow } from '../state/rows.ts';
import type { EmulatorState } from '../state/state.ts';
import { notFound } from '../http/fields.ts';
import { rowIn, shownRow } from './list-rows.ts';
import { countIn, requiredIn } from './query.ts';

const NEVER_WRITTEN = new TextEncoder().encode('{}');

/** The bytes of a row, or of one of its versions; its header `etag` names what they are. */
export function showRow(state: EmulatorState, given: URLSearchParams): Reply {
  const row = rowIn(state, requiredIn(given, 'row'));
  const body = given.has('version') ? versionOf(state, row, given) : bytesOf(state, row);
  const headers = { 'content-type': 'application/json', etag: tagOf(body), ...UNTRUSTED };
  return { status: 200, headers, body };
}

/** Whatever opens it as a page, nothing of it runs. */
const UNTRUSTED = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };

function bytesOf(state: EmulatorState, { key }: EmulatedRow): Uint8Array {
  return state.store.row(key) ?? NEVER_WRITTEN;
}

function versionOf(state: EmulatorState, { key }: EmulatedRow, given: URLSearchParams): Uint8Array {
  const number = countIn(given, 'version');
  const versions = state.rowVersions.of(key, state.store.row(key));
  const found = versions.find((version) => version.number === number);
  if (found === undefined) throw notFound('such version of the row:', String(number));
  return found.body;
}

/** Tells whether a row is still what it was. */
function tagOf(bytes: Uint8Array): string {
  return `"${createHash('sha256').update(bytes).digest('base64url')}"`;
}

/** What there is to know of a row beside its bytes, and its latest versions, newest first. */
export function showVersions(state: EmulatorState, given: URLSearchParams) {
  const row = rowIn(state, requiredIn(given, 'row'));
  const written = state.store.row(row.key);
  const versions = state.rowVersions.of(row.key, written).toReversed();
  return {
    ...shownRow(state, row.key, written?.length ?? null),
    etag: tagOf(written ?? NEVER_WRITTEN),
    versions: versions.map(({ number, at, by, launchId, body }) => {
      return { number, at, by, launch_id: launchId || null, bytes: body.length };
    }),
  };
}

/**
 * Writes a row from the control side, by the rules of a PUT. With `expected`, the `etag` that was
 * read, a row that is another by now is refused (409).
 */
export async function writeRow(
  state: EmulatorState,
  given: URLSearchParams,
  request: PlainRequest,
): Promise<Reply> {
  const body = Buffer.from(await bodyOf(request));
  const row = rowIn(state, requiredIn(given, 'row'));
  if (isShared(row.kind) && !state.provisioned.has(row.key)) {
    refuse('row.unprovisioned', { kind: row.kind });
  }
  refuseAny(checkRowBody(row.kind, body).violations);
  const expected = given.get('expected');
  if (expected !== null && expected !== tagOf(bytesOf(state, row))) {
    throw new HttpError(409, 'row.changed', 'the row was changed meanwhile; nothing was written');
  }
  const before = state.store.row(row.key);
  state.store.putRow(row.key, body);
  const at = state.clock.now();
  state.rowVersions.add(row.key, { at, by: 'console', launchId: '', body }, before);
  return jsonReply(200, { row: row.key, bytes: body.length, etag: tagOf(body) });
}
