import type { FileItem, FileRecord } from '../../contract/index.ts';
import * as s from '../../schema/schema.ts';

/* The responses of the service ("Resources and their fields"). */

const milliseconds = s.described(s.integer, 'milliseconds since the epoch');

const FILE_ITEM = { key: s.nonEmptyText, size: s.count, modified: milliseconds };

export const FILE_LISTING: s.Schema<readonly FileItem[]> = s.list(s.object(FILE_ITEM));

export const FILE_RECORD: s.Schema<FileRecord> = s.object({
  ...FILE_ITEM,
  content_type: s.text,
  url: s.described(s.text, 'download address, valid until expires'),
  expires: s.described(s.integer, 'milliseconds since the epoch, a few minutes ahead'),
});

export const SIGNED_FORM = s.object({
  url: s.described(s.text, 'address to POST the bytes of the file to'),
  fields: s.described(
    s.mapOf(s.text),
    'entries of the form to send before the file; names and values are opaque',
  ),
});

/** The public keys that requests to external tools are signed with; lectern's own. */
export const KEYS = s.object({ keys: s.list(s.open(s.object({ kty: s.text, kid: s.text }))) });
