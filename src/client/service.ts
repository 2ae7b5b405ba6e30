import { type Area, placedMessage, readObject } from '../contract/index.ts';
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
import type { Client } from './client.ts';
import type { NoAnswer } from './errors.ts';
import { type Redact, redactJson } from '../redaction.ts';

/** The part of a call that decides whether its answer may leave a write in doubt. */
type Method = Pick<ClientCall, 'method'>;

/** Calls the service with the credential, and reads its answers. */
export type Service = ReturnType<typeof createService>;

export function createService(credential: Credential, settings: CallSettings) {
  const headers = { ...COMMON_HEADERS, authorization: `Bearer ${credential.secret}` };
  const jsonHeaders = { ...headers, 'content-type': 'application/json' };

  const send = (request: ClientCall): Promise<Answer> => {
    checkCredentialUse(credential, request);
    return call(settings, request);
  };

  /** The error for an answer that is not what the contract says. */
  const unusableAnswer = (request: Method, answer: Answer, why: string): NoAnswer =>
    unusable(settings, request, answer, why);

  const parse = (request: Method, answer: Answer, read: (bytes: Uint8Array) => string) => {
    try {
      const text = read(answer.bytes);
      return { text, value: JSON.parse(text) as unknown };
    } catch {
      throw unusableAnswer(request, answer, 'its body is not JSON');
    }
  };

  return {
    send: (request: Omit<ClientCall, 'headers'>) => send({ ...request, headers }),

    sendJson(area: Area, method: 'PUT' | 'PATCH' | 'POST', url: string, body: Uint8Array) {
      return send({ area, method, url, body, headers: jsonHeaders });
    },

    /** The JSON text of an answer and its value; secrets in the text are redacted. */
    readRedacted: (request: Method, answer: Answer) =>
      parse(request, answer, (bytes) => redactJson(decodeUtf8(bytes), settings.redact)),

    /** The value of a JSON answer, exactly as it was received. */
    readJson: (request: Method, answer: Answer) => parse(request, answer, decodeUtf8).value,

    redactedBytes({ bytes }: Answer): Uint8Array {
      const text = decodeUtf8(bytes);
      const redacted = redactJson(text, settings.redact);
      return redacted === text ? bytes : new TextEncoder().encode(redacted);
    },

    /** Checks the answer to a write, 204: a body would come from something else, such as a proxy. */
    requireEmpty(request: Method, answer: Answer): void {
      if (answer.bytes.length === 0) return;
      throw unusableAnswer(request, answer, 'it has a body, but should be empty');
    },

    unusable: unusableAnswer,
  };
}

/** The calls of "Storage rows". */
export function rowCalls(
  service: Service,
  redact: Redact,
): Pick<Client, 'readRow' | 'readStored' | 'putRow' | 'patchRow'> {
  return {
    async readRow(url) {
      const request = { area: 'storage', method: 'GET', url } as const;
      const answer = await service.send(request);
      const read = readObject(answer.bytes);
      if (!('violation' in read)) return read;
      const why = `its body is not a JSON object: ${placedMessage(read.violation)}`;
      throw service.unusable(request, answer, why);
    },

    async readStored(url) {
      const { bytes } = await service.send({ area: 'storage', method: 'GET', url });
      const read = readObject(bytes);
      if (!('violation' in read)) return read;
      // Latin-1 has a character for each byte: the content may not be UTF-8, and a credential is ASCII.
      const masked = redact(Buffer.from(bytes).toString('latin1'));
      return { bytes: Buffer.from(masked, 'latin1'), violation: read.violation };
    },

    async putRow(url, body) {
      const answer = await service.sendJson('storage', 'PUT', url, body);
      service.requireEmpty({ method: 'PUT' }, answer);
    },

    async patchRow(url, body) {
      const answer = await service.sendJson('storage', 'PATCH', url, body);
      service.requireEmpty({ method: 'PATCH' }, answer);
    },
  };
}
