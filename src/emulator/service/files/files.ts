import {
  checkDeclaration,
  checkKey,
  checkQuota,
  type Declaration,
  type FileRecord,
} from '../../../contract/index.ts';
import { guessMimetype } from '../../../contract/mimetype.ts';
import { accessRow } from '../access.ts';
import type { Static } from '../../../schema/schema.ts';
import type { SIGNED_FORM } from '../answers.ts';
import type { EmulatedRow, RowNames } from '../../state/row-table.ts';
import { bodyOf, NO_CONTENT, type PlainRequest, type Reply } from '../../http/messages.ts';
import { written } from '../reply.ts';
import { refuse, refuseAny, refuseForm, readObjectBody } from '../refuse.ts';
import type { EmulatorState } from '../../state/state.ts';
import { downloadUrl, signUpload } from './signing.ts';
import type { Call, Answered } from '../call.ts';
import { filesOf, forgetFile } from '../../state/files.ts';

/** `GET <files URL>`: the listing; the freedom `listing` orders it. */
export async function answerFiles(
  state: EmulatorState,
  call: Call,
  address: RowNames,
): Promise<Answered> {
  const { row, token } = accessRow(state, call, address, 'read', () => undefined);
  const items = filesOf(state, row.key)
    .map(({ key, size, modified }) => ({ key, size, modified }))
    .sort(state.chosen.listing);
  state.tokens.touch(token);
  return { reply: written(state, 200, items), facts: { row } };
}

/** `GET`, `PUT` and `DELETE` of `<files URL>/<key>`. */
export async function answerFile(
  state: EmulatorState,
  call: Call,
  address: RowNames,
  key: string,
): Promise<Answered> {
  const { request } = call;
  const { method } = request;
  const bytes = method === 'PUT' ? await bodyOf(request) : undefined;
  const action = method === 'GET' ? 'read' : 'write';
  const { row, token, body } = accessRow(
    state,
    call,
    address,
    action,
    () => bytes && readFrom(state, request, key, bytes),
  );
  const answered =
    body !== undefined
      ? declared(state, row, key, body)
      : method === 'GET'
        ? { reply: readFile(state, row, key), facts: { row } }
        : { reply: NO_CONTENT, facts: { row, isAbsent: !forgetFile(state, row, key) } };
  state.tokens.touch(token);
  return answered;
}

function readFile(state: EmulatorState, row: EmulatedRow, key: string): Reply {
  const file = state.files.get(row.key, key);
  if (file === undefined) refuse('file.not_found', { key });
  const expires = state.clock.now() + state.chosen.signed_for;
  return written(state, 200, {
    key,
    size: file.size,
    modified: file.modified,
    content_type: file.content_type,
    url: downloadUrl(state, file, expires),
    expires,
  } satisfies FileRecord);
}

/** The key is checked before the body. */
function readFrom(
  state: EmulatorState,
  request: PlainRequest,
  key: string,
  body: Uint8Array,
): Declaration {
  refuseAny(state, checkKey(key));
  refuseForm(state, request, body);
  return readDeclaration(state, key, readObjectBody(body).object);
}

function declared(
  state: EmulatorState,
  row: EmulatedRow,
  key: string,
  declaration: Declaration,
): Answered {
  const form = declareFile(state, row, key, declaration);
  return {
    reply: written(state, state.chosen.declared, form),
    facts: { row, declared: form.fields[state.chosen.form.key] },
  };
}

/** "Declaration body of PUT", with its defaults. */
export function readDeclaration(
  state: EmulatorState,
  key: string,
  body: Readonly<Record<string, unknown>>,
): Declaration {
  refuseAny(state, checkKey(key));
  const { declaration, violations } = checkDeclaration(key, body);
  refuseAny(state, violations);
  return declaration;
}

/** "Quota is checked by the PUT before signing." The upload replaces an existing file with the key. */
export function declareFile(
  state: EmulatorState,
  row: EmulatedRow,
  key: string,
  { size, mimetype, filename, attachment }: Declaration,
): Static<typeof SIGNED_FORM> {
  state.uploads.delete('expires <= ?', [state.clock.now()]);
  const counted = state.chosen.quota(filesOf(state, row.key), () =>
    state.uploads.all('row = ?', [row.key]),
  );
  refuseAny(state, checkQuota(row.kind, counted, key, size));
  const content_type = mimetype || guessMimetype(filename);
  const file = { row: row.key, key, size, content_type, filename, attachment };
  const { upload, url } = signUpload(state, file);
  state.rows.open(row);
  state.uploads.put(upload);
  return { url, fields: upload.fields };
}
