import { checkDeclaration, checkKey, checkQuota, type Declaration } from '../../contract/index.ts';
import { guessMimetype } from '../../contract/mimetype.ts';
import { openRow, type Row } from './access.ts';
import type { RowAddress } from './addresses.ts';
import {
  allowMethods,
  bodyOf,
  jsonReply,
  NO_CONTENT,
  note,
  objectOf,
  refuse,
  refuseAny,
  type PlainRequest,
  type Reply,
} from '../http/messages.ts';
import type { EmulatorState } from '../state.ts';
import type { StoredFile, Upload } from '../store/records.ts';
import { downloadUrl, SIGNED_MS, signUpload } from '../signed/signing.ts';
import { touchToken } from './tokens.ts';

/** `GET <files URL>`: the listing, in the order of the keys. */
export async function answerFiles(
  state: EmulatorState,
  request: PlainRequest,
  address: RowAddress,
): Promise<Reply> {
  allowMethods(request, 'GET');
  const { row, token } = openRow(state, request, address, 'read');
  const items = filesOf(state, row.key).map(({ key, size, modified }) => ({
    key,
    size,
    modified,
  }));
  touchToken(state, token);
  return jsonReply(200, items);
}

/** `GET`, `PUT` and `DELETE` of `<files URL>/<key>`. */
export async function answerFile(
  state: EmulatorState,
  request: PlainRequest,
  address: RowAddress,
  key: string,
): Promise<Reply> {
  allowMethods(request, 'GET', 'PUT', 'DELETE');
  const body = request.method === 'PUT' ? await bodyOf(request) : new Uint8Array();
  const action = request.method === 'GET' ? 'read' : 'write';
  const { row, token } = openRow(state, request, address, action);
  const reply =
    request.method === 'GET'
      ? readFile(state, row, key)
      : request.method === 'PUT'
        ? jsonReply(
            200,
            await declareFile(state, row, key, await declarationOf(request, key, body)),
          )
        : deleteFile(state, request, row, key);
  touchToken(state, token);
  return reply;
}

/** The stored files of a row, in the order of their keys. */
export function filesOf(state: EmulatorState, row: string): StoredFile[] {
  const files = [...state.files.values()].filter((file) => file.row === row);
  return files.sort((a, b) => (a.key < b.key ? -1 : 1));
}

export function fileId(row: string, key: string): string {
  return `${row}/${key}`;
}

function readFile(state: EmulatorState, row: Row, key: string): Reply {
  const file = state.files.get(fileId(row.key, key));
  if (file === undefined) refuse('file.not_found', { key });
  const expires = state.clock.now() + SIGNED_MS;
  return jsonReply(200, {
    key,
    size: file.size,
    modified: file.modified,
    content_type: file.contentType,
    url: downloadUrl(state, file, expires),
    expires,
  });
}

/** The key is looked at before the body. */
function declarationOf(
  request: PlainRequest,
  key: string,
  body: Uint8Array,
): Promise<Record<string, unknown>> {
  refuseAny(checkKey(key));
  return objectOf({ ...request, body });
}

/** "Quota is checked by the PUT before signing." The file that stands is replaced by the upload. */
export function declareFile(
  state: EmulatorState,
  row: Row,
  key: string,
  declared: Readonly<Record<string, unknown>>,
): { url: string; fields: Upload['fields'] } {
  refuseAny(checkKey(key));
  const { declaration, violations } = checkDeclaration(key, declared);
  refuseAny(violations);
  refuseAny(checkQuota(row.kind, filesOf(state, row.key), key, declaration.size));
  forgetExpired(state);
  const { upload, url } = signUpload(state, { row: row.key, key, ...withDefaults(declaration) });
  state.uploads.set(upload.id, upload);
  return { url, fields: upload.fields };
}

function withDefaults({
  size,
  mimetype,
  filename,
  attachment,
}: Declaration): Pick<Upload, 'size' | 'contentType' | 'filename' | 'attachment'> {
  return { size, contentType: mimetype || guessMimetype(filename), filename, attachment };
}

function forgetExpired(state: EmulatorState): void {
  const now = state.clock.now();
  for (const upload of state.uploads.values()) {
    if (upload.expires <= now) state.uploads.delete(upload.id);
  }
}

/** "204, also when no such file." */
function deleteFile(state: EmulatorState, request: PlainRequest, row: Row, key: string): Reply {
  if (!forgetFile(state, row, key)) note(request, { isAbsent: true });
  return NO_CONTENT;
}

/** Deletes a file; false where there is none. */
export function forgetFile(state: EmulatorState, row: Row, key: string): boolean {
  const id = fileId(row.key, key);
  const file = state.files.get(id);
  if (file === undefined) return false;
  state.files.delete(id);
  removeBlob(state, file.blob);
  return true;
}

/** Removes bytes that no record refers to any more, once that is durable. */
export function removeBlob(state: EmulatorState, blob: string): void {
  const remove = (): Promise<void> => state.blobs.remove(blob);
  // If this fails, the next start removes them.
  void (state.store.whenDurable() ?? Promise.resolve()).then(remove).catch(() => {});
}
