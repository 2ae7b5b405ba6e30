import {
  applyPatch,
  bodyText,
  checkPatchBody,
  checkRowBody,
  checkRowSize,
  syntaxViolation,
} from '../../contract/index.ts';
import {
  compactJson,
  compactSize,
  parseJson,
  type Json,
  type JsonObject,
} from '../../json/index.ts';
import { openRow, type Row } from './access.ts';
import type { RowAddress } from './addresses.ts';
import { chain, type MaybePromise } from '../http/maybe-promise.ts';
import {
  allowMethods,
  bodyOf,
  NO_CONTENT,
  rawJsonReply,
  refuseAny,
  refuseWith,
  type PlainRequest,
  type Reply,
} from '../http/messages.ts';
import type { EmulatorState } from '../state.ts';
import { touchToken } from './tokens.ts';

/** "Endpoints, Storage rows". */
export function answerRow(
  state: EmulatorState,
  request: PlainRequest,
  address: RowAddress,
): MaybePromise<Reply> {
  allowMethods(request, 'GET', 'PUT', 'PATCH');
  const isRead = request.method === 'GET';
  return chain(isRead ? undefined : bodyOf(request), (body) => {
    // From here to the end of the write everything is synchronous: that is the row's lock.
    const { row, token } = openRow(state, request, address, isRead ? 'read' : 'write');
    const reply = body === undefined ? readRow(state, row) : changeRow(state, request, row, body);
    touchToken(state, token);
    return reply;
  });
}

/** "The JSON object exactly as last written, no envelope; `{}` if never written." */
function readRow(state: EmulatorState, row: Row): Reply {
  return rawJsonReply(state.store.row(row.key) ?? '{}');
}

function changeRow(state: EmulatorState, request: PlainRequest, row: Row, body: Uint8Array): Reply {
  state.store.putRow(
    row.key,
    request.method === 'PUT' ? replaced(row, body) : patched(state, row, body),
  );
  return NO_CONTENT;
}

/** "The raw JSON object, no wrapper; replaces the row wholesale." */
function replaced(row: Row, body: Uint8Array): Uint8Array {
  refuseAny(checkRowBody(row.kind, body).violations);
  return body;
}

/** PATCH rules 1 to 3: the patched row as compact JSON. */
function patched(state: EmulatorState, row: Row, body: Uint8Array): Uint8Array {
  const { operations, violations } = checkPatchBody(parsed(body));
  refuseAny(violations);
  const stored = state.store.row(row.key);
  const before = stored === undefined ? new Map<string, Json>() : (parsed(stored) as JsonObject);
  const outcome = applyPatch(before, operations);
  if ('violation' in outcome) refuseWith(outcome.violation);
  const text = compactJson(outcome.row);
  refuseAny(checkRowSize(row.kind, compactSize(text)));
  return Buffer.from(text);
}

function parsed(bytes: Uint8Array): Json {
  const read = bodyText(bytes);
  if ('violation' in read) refuseWith(read.violation);
  try {
    return parseJson(read.text).value;
  } catch (error) {
    return refuseWith(syntaxViolation(error));
  }
}
