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
  note,
  rawJsonReply,
  refuseAny,
  refuseWith,
  type PlainRequest,
  type Reply,
} from '../http/messages.ts';
import type { RowWrite } from '../report/facts.ts';
import { pointersWritten } from '../report/row-keys.ts';
import type { EmulatorState } from '../state.ts';
import type { Token } from '../store/records.ts';
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
    const reply =
      body === undefined
        ? readRow(state, request, row)
        : changeRow(state, request, { row, token }, body);
    touchToken(state, token);
    return reply;
  });
}

/** "The JSON object exactly as last written, no envelope; `{}` if never written." */
function readRow(state: EmulatorState, request: PlainRequest, row: Row): Reply {
  const stored = state.store.row(row.key);
  if (stored === undefined) note(request, { isUnwritten: true });
  return rawJsonReply(stored ?? '{}');
}

function changeRow(
  state: EmulatorState,
  request: PlainRequest,
  { row, token }: { row: Row; token: Token },
  body: Uint8Array,
): Reply {
  const { method } = request;
  const before = state.store.row(row.key);
  const written = method === 'PUT' ? replaced(row, before, body) : patched(row, before, body);
  state.store.putRow(row.key, written.after);
  if (request.facts !== undefined) request.facts.written = written;
  const at = state.clock.now();
  const { launchId } = token;
  const by = method === 'PUT' ? 'PUT' : 'PATCH';
  state.rowVersions.add(row.key, { at, by, launchId, body: written.after }, before);
  return NO_CONTENT;
}

/** "The raw JSON object, no wrapper; replaces the row wholesale." */
function replaced(row: Row, before: Uint8Array | undefined, body: Uint8Array): RowWrite {
  const { violations, size } = checkRowBody(row.kind, body);
  refuseAny(violations);
  return { before, after: body, size };
}

/** PATCH rules 1 to 3: the patched row as compact JSON. */
function patched(row: Row, stored: Uint8Array | undefined, body: Uint8Array): RowWrite {
  const { operations, violations } = checkPatchBody(parsed(body));
  refuseAny(violations);
  const before = stored === undefined ? new Map<string, Json>() : (parsed(stored) as JsonObject);
  const outcome = applyPatch(before, operations);
  if ('violation' in outcome) refuseWith(outcome.violation);
  const text = compactJson(outcome.row);
  const size = compactSize(text);
  refuseAny(checkRowSize(row.kind, size));
  const pointers = operations.flatMap((operation) =>
    operation.op === 'remove' ? [] : pointersWritten(operation.path, operation.value),
  );
  return { before: stored, after: Buffer.from(text), size, pointers };
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
