import { liveToken } from './access.ts';
import { readTarget, ROWS_PREFIX } from './addresses.ts';
import type { MaybePromise } from '../http/maybe-promise.ts';
import { answerBlobs } from '../signed/blob-origin.ts';
import { JWKS_PATH, publicKeys } from '../external/signature.ts';
import { answerFile, answerFiles } from './files.ts';
import { answerGrade } from './grades.ts';
import {
  noSuchAddress,
  HttpError,
  errorReply,
  jsonReply,
  note,
  type PlainRequest,
  type Reply,
} from '../http/messages.ts';
import { answerProvision } from './provisioning.ts';
import { answerRow } from './rows.ts';
import type { EmulatorState } from '../state.ts';

/**
 * Answers a request to the service; an `HttpError` becomes its response, other errors are passed on.
 * Unknown paths are 404, including the removed endpoints.
 */
export function answer(state: EmulatorState, request: PlainRequest): MaybePromise<Reply> {
  try {
    const reply =
      request.origin === 'blobs' ? answerBlobs(state, request) : answerApi(state, request);
    return reply instanceof Promise ? reply.catch((error) => refused(request, error)) : reply;
  } catch (error) {
    return refused(request, error);
  }
}

function refused(request: PlainRequest, error: unknown): Reply {
  if (!(error instanceof HttpError)) throw error;
  note(request, { code: error.code });
  return errorReply(error);
}

function answerApi(state: EmulatorState, request: PlainRequest): MaybePromise<Reply> {
  const target = readTarget(request.target);
  if (request.facts !== undefined) request.facts.target = target;
  switch (target?.is) {
    case 'row':
      return answerRow(state, request, target.row);
    case 'files':
      return answerFiles(state, request, target.row);
    case 'file':
      return answerFile(state, request, target.row, target.key);
    case 'grade':
      return answerGrade(state, request, target.grade);
    case 'provision':
      return answerProvision(state, request, target);
    default:
      // "404: the row URL does not exist" comes after 401, as for rows that exist.
      if (request.target.startsWith(ROWS_PREFIX)) liveToken(state, request);
      if (request.target === JWKS_PATH && request.method === 'GET') return answerKeys(state);
      return noSuchAddress();
  }
}

async function answerKeys(state: EmulatorState): Promise<Reply> {
  return jsonReply(200, await publicKeys(state));
}
