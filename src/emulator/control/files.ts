import { isShared } from '../../contract/index.ts';
import { refuse } from '../service/refuse.ts';
import type { EmulatedRow } from '../state/rows.ts';
import { declareFile } from '../service/files/files.ts';
import { fileId, forgetFile } from '../state/files.ts';
import { downloadUrl, SIGNED_MS } from '../service/files/signing.ts';
import type { EmulatorState } from '../state/state.ts';
import { text, type Body } from '../http/fields.ts';
import { rowIn } from './list-rows.ts';

/*
 * What staff do with the files of a row, for people at the control side. The bytes go to the signed
 * addresses as they do for a tool.
 */

/** Declares a file; its signed form is the answer. */
export function declareFrom(state: EmulatorState, body: Body) {
  const { row: _row, key: _key, ...declaration } = body;
  const row = readyRow(state, body);
  return declareFile(state, row, text(body, 'key'), declaration);
}

/** The signed address of a file's bytes. */
export function linkTo(state: EmulatorState, body: Body) {
  const key = text(body, 'key');
  const file = state.files.get(fileId(readyRow(state, body).key, key));
  if (file === undefined) refuse('file.not_found', { key });
  const expires = state.clock.now() + SIGNED_MS;
  return { url: downloadUrl(state, file, expires), expires, filename: file.filename };
}

/** Deletes a file; an absent one is no error. */
export function deleteFrom(state: EmulatorState, body: Body) {
  forgetFile(state, readyRow(state, body), text(body, 'key'));
  return {};
}

function readyRow(state: EmulatorState, body: Body): EmulatedRow {
  const row = rowIn(state, text(body, 'row'));
  if (isShared(row.kind) && !state.provisioned.has(row.key)) {
    refuse('row.unprovisioned', { kind: row.kind });
  }
  return row;
}
