import type { FileItem } from '../../contract/index.ts';
import { freedom, named, statuses } from './freedom.ts';

/* Files and their signed addresses. */

export type Sized = Pick<FileItem, 'key' | 'size'>;

const MINUTE_MS = 60 * 1000;
/** The longest that a signed address is valid. */
export const SIGNED_MS = 5 * MINUTE_MS;

/** The addresses at the object store; `{name}` is a placeholder. */
export interface SignedScheme {
  readonly upload: string;
  readonly download: string;
}

/** The names of the fields of a signed form, and the fields that only the object store looks at. */
export interface FormScheme {
  readonly key: string;
  readonly policy: string;
  readonly signature: string;
  readonly others: (type: string) => Readonly<Record<string, string>>;
}

export interface BlobError {
  readonly code: string;
  readonly message: string;
}

export const FILE_FREEDOMS = {
  declared: freedom<number>({
    about: 'the status of an accepted declaration',
    contract:
      'Files of a row: PUT answers "signed upload form (`url`, `fields`)", without a status.',
    reading: 'What answers a declaration, and an upload?',
    values: statuses(200, 201, 202),
  }),
  uploaded: freedom<number>({
    about: 'the status of a stored upload',
    contract: 'Upload sequence: the answer to the form is not shown.',
    reading: 'What answers a declaration, and an upload?',
    values: statuses(204, 200, 201),
  }),
  listing: freedom<(first: FileItem, second: FileItem) => number>({
    about: 'the order of the files in a list',
    contract: 'Files of a row: GET answers "array of file listing items", without an order.',
    values: [
      ['key', (first, second) => (first.key < second.key ? -1 : 1)],
      ['key_down', (first, second) => (first.key < second.key ? 1 : -1)],
      ['newest', (first, second) => second.modified - first.modified],
    ],
  }),
  quota: freedom<(stored: readonly Sized[], declared: () => readonly Sized[]) => readonly Sized[]>({
    about: 'whether a declared file counts against the quota before it is uploaded',
    contract: 'Files of a row: "Quota is checked by the PUT before signing."',
    reading: 'What counts against the quota?',
    values: named({
      stored: (stored) => stored,
      declared: (stored, open) => [
        ...new Map([...stored, ...open()].map((each) => [each.key, each])).values(),
      ],
    }),
  }),
  signed: freedom<SignedScheme>({
    about: 'the signed addresses of uploads and downloads',
    contract: 'Files: "url | address to POST the file bytes to", "url | download address".',
    values: named({
      escapes: {
        upload: '/eu%2Fnorth-1/incoming?form=post%2Bfile',
        download: '/eu%2Fnorth-1/files/{blob}/{name}?expires={expires}&signature={signature}',
      },
      plain: {
        upload: '/upload',
        download: '/get/{blob}?to={expires}&signature={signature}&name={name}',
      },
      queries: {
        upload: '/?put&v=%2F',
        download: '/a;b=%3A/{blob}?x-signature={signature}&name={name}&x-date={expires}&',
      },
    }),
  }),
  signed_for: freedom<number>({
    about: 'how long a signed address is valid',
    contract: 'Limits: "Signed download URL of a file | valid a few minutes".',
    values: [
      ['5 minutes', SIGNED_MS],
      ['3 minutes', 3 * MINUTE_MS],
      ['2 minutes', 2 * MINUTE_MS],
    ],
  }),
  form: freedom<FormScheme>({
    about: 'the names and number of the fields of a signed form',
    contract: 'Signed upload form: "fields | object | … names and values are opaque".',
    values: named({
      policy: {
        key: 'key',
        policy: 'policy',
        signature: 'x-blob-signature',
        // No value has a semicolon, which `curl -F` would take for the end of it.
        others: (type) => ({
          'Content-Type': type,
          'x-blob-tagging': '',
          'x-blob-algorithm': 'BLOB1-HMAC-SHA256',
        }),
      },
      few: { key: 'id', policy: 'policy', signature: 'signature', others: () => ({}) },
      brackets: {
        key: 'form[key]',
        policy: 'form[policy]',
        signature: 'form[signature]',
        others: (type) => ({
          utf8: '✓',
          'form[type]': type,
          // No line break: FormData would send another one.
          'form[note]': 'a "b" & c',
          Filename: '',
        }),
      },
    }),
  }),
  blob_errors: freedom<{ readonly type: string; readonly body: (error: BlobError) => string }>({
    about: 'the errors of the object store',
    contract: 'Upload sequence: "The file bytes do not pass through the service\'s API."',
    values: named({
      xml: {
        type: 'application/xml',
        body: ({ code, message }) => {
          const escaped = message.replace(/[&<>]/g, (found) => `&#${found.charCodeAt(0)};`);
          return `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${escaped}</Message></Error>`;
        },
      },
      json: { type: 'application/json', body: (error) => JSON.stringify({ error }) },
      text: { type: 'text/plain', body: ({ code, message }) => `${code}: ${message}` },
    }),
  }),
};
