import type { ChosenValues } from '../freedom/vary.ts';
import { BLOB_ERRORS } from '../service/files/blob-http-error.ts';
import { type DocumentPart, describedAddress, SERVICE_EXAMPLES } from './document.ts';

/** The signed addresses, on their own origin. They take no bearer token. */
export function signedPaths(servers: readonly DocumentPart[], chosen: ChosenValues): DocumentPart {
  const upload = describedAddress(chosen.signed.upload);
  const download = describedAddress(chosen.signed.download, SERVICE_EXAMPLES.downloadFile?.target);
  return {
    [upload.path]: { servers, parameters: upload.parameters, post: uploadOperation(chosen) },
    [download.path]: {
      servers,
      parameters: download.parameters,
      get: downloadOperation(chosen),
      head: headOperation(chosen),
    },
  };
}

const XML_ERROR = {
  type: 'object',
  xml: { name: 'Error' },
  required: ['Code', 'Message'],
  properties: {
    Code: { type: 'string', enum: Object.keys(BLOB_ERRORS) },
    Message: { type: 'string' },
  },
};

/** The errors of the object store. */
function refused({ blob_errors: { type } }: ChosenValues, ...statuses: number[]): DocumentPart {
  const schema = type === 'application/xml' ? XML_ERROR : {};
  const entries = statuses.map((status) => {
    const codes = Object.entries(BLOB_ERRORS).filter(([, at]) => at === status);
    const description = codes.map(([code]) => code).join(', ');
    return [status, { description, content: { [type]: { schema } } }] as const;
  });
  return Object.fromEntries(entries);
}

const uploadOperation = (chosen: ChosenValues): DocumentPart => ({
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
    [chosen.uploaded]: {
      description: 'the file is stored',
      headers: { etag: { schema: { type: 'string' } } },
    },
    ...refused(chosen, 400, 403, 404, 412, 500, 503),
  },
});

const BYTES = { type: 'string', format: 'binary' };

const downloadOperation = (chosen: ChosenValues): DocumentPart => ({
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
    ...refused(chosen, 400, 403, 404, 500, 503),
  },
});

const headOperation = (chosen: ChosenValues): DocumentPart => ({
  ...downloadOperation(chosen),
  operationId: 'headFile',
  summary: 'Read the headers of a file',
});
