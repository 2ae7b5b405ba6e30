import { placedMessage, readObject } from '../contract/index.ts';
import type { Client } from './client.ts';
import type { Redact } from '../redaction.ts';
import type { Service } from './service.ts';

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
