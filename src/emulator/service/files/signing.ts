import { FREEDOMS } from '../../freedom/vary.ts';
import { filledShape, shapePattern } from '../addresses.ts';
import type { EmulatorState } from '../../state/state.ts';
import type { StoredFile, Upload } from '../../state/records.ts';

/** A declared file with its signed form ("Signed upload form"). */
export function signUpload(
  state: EmulatorState,
  file: Omit<Upload, 'id' | 'fields' | 'expires'>,
): { upload: Upload; url: string } {
  const id = state.newId();
  const expires = state.clock.now() + state.chosen.signed_for;
  const fields = formFields(state, id, file, expires);
  return {
    upload: { ...file, id, fields, expires },
    url: state.urls.blobs + state.chosen.signed.upload,
  };
}

/** Fields like those of real object stores; names and values are opaque to callers. */
function formFields(
  state: EmulatorState,
  id: string,
  file: Omit<Upload, 'id' | 'fields' | 'expires'>,
  expires: number,
): Record<string, string> {
  const key = `incoming/${id}`;
  const type = headerText(file.content_type);
  const policy = {
    expiration: new Date(expires).toISOString(),
    conditions: [
      { key },
      ['content-length-range', file.size, file.size],
      ['eq', '$Content-Type', type],
    ],
  };
  const encoded = Buffer.from(JSON.stringify(policy)).toString('base64');
  const { form } = state.chosen;
  return {
    [form.key]: key,
    ...form.others(type),
    [form.policy]: encoded,
    [form.signature]: state.sign(`upload ${encoded}`),
  };
}

/** The upload of a form, by its key, if it was signed and is unused. */
export function uploadOf(
  state: EmulatorState,
  fields: ReadonlyMap<string, string>,
): Upload | undefined {
  return state.uploads.get(fields.get(state.chosen.form.key)?.replace(/^incoming\//, '') ?? '');
}

/** Whether a form was signed here and has expired: its upload may have been deleted. */
export function hasPassed(state: EmulatorState, fields: ReadonlyMap<string, string>): boolean {
  const { form } = state.chosen;
  const policy = fields.get(form.policy) ?? '';
  if (fields.get(form.signature) !== state.sign(`upload ${policy}`)) return false;
  const { expiration } = JSON.parse(Buffer.from(policy, 'base64').toString()) as {
    expiration: string;
  };
  return Date.parse(expiration) <= state.clock.now();
}

/** The URL of a file's bytes, valid until `expires` (ms since the epoch). */
export function downloadUrl(state: EmulatorState, file: StoredFile, expires: number): string {
  const { blob } = file;
  const name = encodeURIComponent(wellFormed(file.filename));
  const signature = signDownload(state, blob, name, expires);
  return (
    state.urls.blobs + filledShape(state.chosen.signed.download, { blob, name, expires, signature })
  );
}

/** The name is signed as encoded in the URL. */
function signDownload(state: EmulatorState, blob: string, name: string, expires: number): string {
  return state.sign(`download ${blob}/${name} ${expires}`);
}

const DOWNLOADS: ReadonlyMap<string, RegExp> = new Map(
  FREEDOMS.signed.values.map(([, { download }]) => [
    download,
    shapePattern(download, (name) => (name === 'expires' ? '\\d+' : '[^/?&]*')),
  ]),
);

/** Parses the target of a download; undefined if it is not one. */
export function readDownload(
  state: EmulatorState,
  target: string,
): { blob: string; expires: number; isSigned: boolean } | undefined {
  const match = DOWNLOADS.get(state.chosen.signed.download)?.exec(target)?.groups;
  if (match === undefined) return undefined;
  const { blob = '', name = '', expires: until = '', signature = '' } = match;
  const expires = Number(until);
  return { blob, expires, isSigned: signature === signDownload(state, blob, name, expires) };
}

/** The `Content-Disposition` of a download: shown or saved, and the file name. */
export function dispositionOf({
  filename,
  attachment,
}: Pick<Upload, 'filename' | 'attachment'>): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(wellFormed(filename)).replace(/['()*]/g, encodeByte);
  return `${attachment ? 'attachment' : 'inline'}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

function encodeByte(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Replaces lone surrogates, which cannot be encoded. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

/** A declared type as a header value; an invalid one is served as bytes. */
export function headerText(type: string): string {
  return /^[\x20-\x7e]+$/.test(type) ? type : 'application/octet-stream';
}
