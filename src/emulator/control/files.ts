import { isShared } from '../../contract/index.ts';
import { SIGNED_FORM } from '../service/answers.ts';
import { refuse } from '../service/refuse.ts';
import type { EmulatedRow } from '../state/rows.ts';
import { declareFile } from '../service/files/files.ts';
import { fileId, forgetFile } from '../state/files.ts';
import { downloadUrl, SIGNED_MS } from '../service/files/signing.ts';
import type { EmulatorState } from '../state/state.ts';
import * as s from '../../schema/schema.ts';
import { rowIn } from './list-rows.ts';
import { operation } from './operation.ts';

/*
 * Operations of staff on the files of a row. The bytes go to the signed addresses, as for a tool.
 */

const FILE = { row: s.words, key: s.words };

export const FILE_OPERATIONS = {
  'POST file/declare': operation({
    summary: 'declare a file; the answer is its signed form',
    takes: s.described(s.open(s.object(FILE)), 'with the fields of a declaration'),
    answers: SIGNED_FORM,
    isQuiet: true,
    run: ({ state }, { row, key, ...declaration }) =>
      declareFile(state, readyRow(state, row), key, declaration),
  }),
  'POST file/link': operation({
    summary: "the signed address of a file's bytes",
    takes: s.object(FILE),
    answers: s.object({ url: s.text, expires: s.anyNumber, filename: s.text }),
    isQuiet: true,
    run: ({ state }, { row, key }) => {
      const file = state.files.get(fileId(readyRow(state, row).key, key));
      if (file === undefined) refuse('file.not_found', { key });
      const expires = state.clock.now() + SIGNED_MS;
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
  if (isShared(row.kind) && !state.provisioned.has(row.key)) {
    refuse('row.unprovisioned', { kind: row.kind });
  }
  return row;
}
