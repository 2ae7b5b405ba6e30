import type { ChosenValues } from '../freedom/vary.ts';
import { BLOB_ERRORS } from '../service/files/blob-http-error.ts';
import { DOWNLOAD_SHAPE, UPLOAD_PATH } from '../service/files/signing.ts';
import { type DocumentPart, describedAddress, SERVICE_EXAMPLES } from './document.ts';

/** The signed addresses, on their own origin. They take no bearer token. */
export function signedPaths(servers: readonly DocumentPart[], chosen: ChosenValues): DocumentPart {
  const upload = describedAddress(UPLOAD_PATH);
  const download = describedAddress(DOWNLOAD_SHAPE, SERVICE_EXAMPLES.downloadFile?.target);
  return {
    [upload.path]: { servers, parameters: upload.parameters, post: uploadOperation(chosen) },
    [download.path]: { servers, parameters: download.parameters, get: DOWNLOAD, head: HEAD },
  };
}

const ERROR = {
  type: 'object',
  xml: { name: 'Error' },
  required: ['Code', 'Message'],
  properties: {
    Code: { type: 'string', enum: Object.keys(BLOB_ERRORS) },
    Message: { type: 'string' },
  },
};

/** The errors of the object store, which are XML. */
function refused(...statuses: number[]): DocumentPart {
  const entries = statuses.map((status) => {
    const codes = Object.entries(BLOB_ERRORS).filter(([, at]) => at === status);
    const description = codes.map(([code]) => code).join(', ');
    return [status, { description, content: { 'application/xml': { schema: ERROR } } }] as const;
  });
  return Object.fromEntries(entries);
}

const uploadOperation = ({ uploaded }: ChosenValues): DocumentPart => ({
  operationId: 'uploadFile',
  tags: ['Files'],
  summary: 'Send the bytes of a declared file',
  description: 'Every entry of `fields` as it is, then the file, last. A form works once.',
  security: [],
  requestBody: {
    required: true,
    content: {
      'multipart/form-data': {
        schema: {
          type: 'object',
          required: ['file'],
          properties: { file: { type: 'string', format: 'binary' } },
          additionalProperties: { type: 'string' },
        },
      },
    },
  },
  responses: {
    [uploaded]: {
      description: 'the file is stored',
      headers: { etag: { schema: { type: 'string' } } },
    },
    ...refused(400, 403, 404, 412, 500, 503),
  },
});

const BYTES = { type: 'string', format: 'binary' };

const DOWNLOAD = {
  operationId: 'downloadFile',
  tags: ['Files'],
  summary: 'Read the bytes of a file',
  security: [],
  responses: {
    200: {
      description: 'the bytes, of the type that was declared',
      headers: {
        'content-disposition': { schema: { type: 'string' } },
        'content-length': { schema: { type: 'integer' } },
        etag: { schema: { type: 'string' } },
      },
      content: { '*/*': { schema: BYTES } },
    },
    ...refused(400, 403, 404, 500, 503),
  },
};

const HEAD = {
  ...DOWNLOAD,
  operationId: 'headFile',
  summary: 'Read the headers of a file',
};
