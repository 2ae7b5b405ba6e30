import {
  checkDeclaration,
  checkKey,
  checkQuota,
  type Declaration,
  type FileItem,
} from '../../contract/index.ts';
import { guessMimetype } from '../../contract/mimetype.ts';
import { openRow, type Row } from './access.ts';
import type { RowAddress } from './addresses.ts';
import {
  allowMethods,
  bodyOf,
  jsonReply,
  NO_CONTENT,
  objectOf,
  refuse,
  refuseAny,
  type PlainRequest,
  type Reply,
} from '../http/messages.ts';
import type { Service } from '../state.ts';
import { downloadUrl, SIGNED_MS, signUpload } from '../signed/signing.ts';
import { touchToken } from './tokens.ts';

/** A file whose bytes are whole. */
export interface StoredFile extends FileItem {
  readonly row: string;
  /** The bytes' ID among the blobs. */
  readonly blob: string;
  readonly contentType: string;
  readonly filename: string;
  readonly attachment: boolean;
}

/** A declared file whose bytes have not come; used once, until `expires` (ms since the epoch). */
export interface Upload {
  readonly id: string;
  readonly row: string;
  readonly key: string;
  readonly size: number;
  readonly contentType: string;
  readonly filename: string;
  readonly attachment: boolean;
  readonly fields: Readonly<Record<string, string>>;
  readonly expires: number;
}

/** `GET <files URL>`: the listing, in the order of the keys. */
export async function answerFiles(
  service: Service,
  request: PlainRequest,
  address: RowAddress,
): Promise<Reply> {
  allowMethods(request, 'GET');
  const { row, token } = openRow(service, request, address, 'read');
  const items = filesOf(service, row.key).map(({ key, size, modified }) => ({
    key,
    size,
    modified,
  }));
  touchToken(service, token);
  return jsonReply(200, items);
}

/** `GET`, `PUT` and `DELETE` of `<files URL>/<key>`. */
export async function answerFile(
  service: Service,
  request: PlainRequest,
  address: RowAddress,
  key: string,
): Promise<Reply> {
  allowMethods(request, 'GET', 'PUT', 'DELETE');
  const body = request.method === 'PUT' ? await bodyOf(request) : new Uint8Array();
  const action = request.method === 'GET' ? 'read' : 'write';
  const { row, token } = openRow(service, request, address, action);
  const reply =
    request.method === 'GET'
      ? readFile(service, row, key)
      : request.method === 'PUT'
        ? jsonReply(200, await declareFile(service, row, key, { ...request, body }))
        : deleteFile(service, row, key);
  touchToken(service, token);
  return reply;
}

/** The stored files of a row, in the order of their keys. */
export function filesOf(service: Service, row: string): StoredFile[] {
  const files = [...service.files.values()].filter((file) => file.row === row);
  return files.sort((a, b) => (a.key < b.key ? -1 : 1));
}

export function fileId(row: string, key: string): string {
  return `${row}/${key}`;
}

function readFile(service: Service, row: Row, key: string): Reply {
  const file = service.files.get(fileId(row.key, key));
  if (file === undefined) refuse('file.not_found', { key });
  const expires = service.clock.now() + SIGNED_MS;
  return jsonReply(200, {
    key,
    size: file.size,
    modified: file.modified,
    content_type: file.contentType,
    url: downloadUrl(service, file, expires),
    expires,
  });
}

/** "Quota is checked by the PUT before signing." The file that stands is replaced by the upload. */
async function declareFile(
  service: Service,
  row: Row,
  key: string,
  request: PlainRequest,
): Promise<{ url: string; fields: Upload['fields'] }> {
  refuseAny(checkKey(key));
  const { declaration, violations } = checkDeclaration(key, await objectOf(request));
  refuseAny(violations);
  refuseAny(checkQuota(row.kind, filesOf(service, row.key), key, declaration.size));
  forgetExpired(service);
  const { upload, url } = signUpload(service, { row: row.key, key, ...settled(declaration) });
  service.uploads.set(upload.id, upload);
  return { url, fields: upload.fields };
}

function settled({
  size,
  mimetype,
  filename,
  attachment,
}: Declaration): Pick<Upload, 'size' | 'contentType' | 'filename' | 'attachment'> {
  return { size, contentType: mimetype || guessMimetype(filename), filename, attachment };
}

function forgetExpired(service: Service): void {
  const now = service.clock.now();
  for (const upload of service.uploads.values()) {
    if (upload.expires <= now) service.uploads.delete(upload.id);
  }
}

/** "204, also when no such file." */
function deleteFile(service: Service, row: Row, key: string): Reply {
  const id = fileId(row.key, key);
  const file = service.files.get(id);
  if (file !== undefined) {
    service.files.delete(id);
    removeBlob(service, file.blob);
  }
  return NO_CONTENT;
}

/** Removes bytes that no record names any more, once that is durable. */
export function removeBlob(service: Service, blob: string): void {
  const remove = (): Promise<void> => service.blobs.remove(blob);
  // What fails to be removed is swept at the next start.
  void (service.store.settled() ?? Promise.resolve()).then(remove).catch(() => {});
}
