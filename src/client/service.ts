import { type Area, placedMessage, type Violation } from '../contract/index.ts';
import { decodeUtf8 } from '../json/index.ts';
import {
  type Answer,
  call,
  type ClientCall,
  type CallSettings,
  COMMON_HEADERS,
  unusable,
} from './call.ts';
import { checkCredentialUse, type Credential } from './credential.ts';
import type { NoAnswer } from './errors.ts';
import { redactJson } from '../redaction.ts';

/** The part of a call that decides whether its answer may leave a write in doubt. */
type Method = Pick<ClientCall, 'method'>;

/** Calls the service with the credential, and reads its answers. */
export interface Service {
  send(request: Omit<ClientCall, 'headers'>): Promise<Answer>;
  sendJson(
    area: Area,
    method: 'PUT' | 'PATCH' | 'POST',
    url: string,
    body: Uint8Array,
  ): Promise<Answer>;
  /** The JSON text of an answer and its value; secrets in the text are redacted. */
  readRedacted(request: Method, answer: Answer): { text: string; value: unknown };
  /** The value of a JSON answer, exactly as it was received. */
  readJson(request: Method, answer: Answer): unknown;
  redactedBytes(answer: Answer): Uint8Array;
  /** Checks the answer to a write, 204: a body would come from something else, such as a proxy. */
  requireEmpty(request: Method, answer: Answer): void;
  /** The error for a row that is not a JSON object. */
  notARow(request: Method, answer: Answer, violation: Violation): NoAnswer;
  /** The error for an answer that is not what the contract says. */
  unusable(request: Method, answer: Answer, why: string): NoAnswer;
}

export function createService(credential: Credential, settings: CallSettings): Service {
  const headers = { ...COMMON_HEADERS, authorization: `Bearer ${credential.secret}` };
  const jsonHeaders = { ...headers, 'content-type': 'application/json' };
  const service: Service = {
    send(request) {
      checkCredentialUse(credential, request);
      return call(settings, { ...request, headers });
    },

    sendJson(area, method, url, body) {
      const request = { area, method, url, body, headers: jsonHeaders };
      checkCredentialUse(credential, request);
      return call(settings, request);
    },

    readRedacted: (request, answer) =>
      parse(request, answer, (bytes) => redactJson(decodeUtf8(bytes), settings.redact)),

    readJson: (request, answer) => parse(request, answer, decodeUtf8).value,

    redactedBytes({ bytes }) {
      const text = decodeUtf8(bytes);
      const redacted = redactJson(text, settings.redact);
      return redacted === text ? bytes : new TextEncoder().encode(redacted);
    },

    requireEmpty(request, answer) {
      if (answer.bytes.length === 0) return;
      throw service.unusable(request, answer, 'it has a body, but should be empty');
    },

    notARow(request, answer, violation) {
      const why = `its body is not a JSON object: ${placedMessage(violation)}`;
      return service.unusable(request, answer, why);
    },

    unusable: (request, answer, why) => unusable(settings, request, answer, why),
  };

  function parse(request: Method, answer: Answer, read: (bytes: Uint8Array) => string) {
    try {
      const text = read(answer.bytes);
      return { text, value: JSON.parse(text) as unknown };
    } catch {
      throw service.unusable(request, answer, 'its body is not JSON');
    }
  }

  return service;
}
