import type { FileItem } from '../../contract/index.ts';
import { freedom } from './freedom.ts';

/* Files and their signed addresses. */

const declared = freedom<number>({
  about: 'the status of an accepted declaration',
  contract: 'Files of a row: PUT answers "signed upload form (`url`, `fields`)", without a status.',
  reading: 'What answers a declaration, and an upload?',
  values: [
    ['200', 200],
    ['201', 201],
    ['202', 202],
  ],
});

const uploaded = freedom<number>({
  about: 'the status of a stored upload',
  contract: 'Upload sequence: the answer to the form is not shown.',
  reading: 'What answers a declaration, and an upload?',
  values: [
    ['204', 204],
    ['200', 200],
    ['201', 201],
  ],
});

const listing = freedom<(first: FileItem, second: FileItem) => number>({
  about: 'the order of the files in a list',
  contract: 'Files of a row: GET answers "array of file listing items", without an order.',
  values: [
    ['key', (first, second) => (first.key < second.key ? -1 : 1)],
    ['key_down', (first, second) => (first.key < second.key ? 1 : -1)],
    ['newest', (first, second) => second.modified - first.modified],
  ],
});

export const FILE_FREEDOMS = { declared, uploaded, listing };
