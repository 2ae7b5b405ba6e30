import { liveToken } from './access.ts';
import { isBelowRows, METHODS } from './addresses.ts';
import { answerBlobs } from './files/blob-origin.ts';
import { JWKS_PATH, publicKeys } from './external/signature.ts';
import { answerFile, answerFiles } from './files/files.ts';
import { answerGrade } from './grades/grades.ts';
import { allowMethods, noSuchAddress, HttpError, jsonReply } from '../http/messages.ts';
import { writtenError } from './reply.ts';
import { answerProvision, answerRow } from './rows.ts';
import type { EmulatorState } from '../state/state.ts';
import type { Call, Answered } from './call.ts';

/**
 * Answers a call; an `HttpError` becomes its response, other errors are passed on. Unknown paths are
 * 404, including the removed endpoints.
 */
export async function answer(state: EmulatorState, call: Call): Promise<Answered> {
  try {
    return await (call.request.origin === 'blobs' ? answerBlobs : answerApi)(state, call);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const { code, message } = error;
    return { reply: writtenError(state, error), facts: { code, message } };
  }
}

async function answerApi(state: EmulatorState, call: Call): Promise<Answered> {
  const { target, request, caller } = call;
  if (target !== undefined) {
    allowMethods(request, METHODS[target.kind], state.chosen.other_methods);
  }
  switch (target?.kind) {
    case 'row':
      return answerRow(state, call, target.row);
    case 'files':
      return answerFiles(state, call, target.row);
    case 'file':
      return answerFile(state, call, target.row, target.key);
    case 'grade':
      return answerGrade(state, call, target.grade);
    case 'provision':
      return answerProvision(state, call, target);
    default:
      // "404: the row URL does not exist" comes after 401, as for rows that exist.
      if (isBelowRows(state, request.target)) liveToken(state, caller);
      if (request.target !== JWKS_PATH || request.method !== 'GET') noSuchAddress();
      return { reply: jsonReply(200, await publicKeys(state)), facts: {} };
  }
}
