import {
  checkKey,
  explainViolation,
  type FileRecord,
  fileUrl,
  isListed,
  originOf,
} from '../contract/index.ts';
import { decodeUtf8, type Json, JsonNumber, parseJson } from '../json/index.ts';
import type { Client, SignedForm } from './client.ts';
import { UnusableUrl } from './errors.ts';
import type { Service } from './service.ts';

/** The calls of "Files of a row" to the service; the bytes of files have signed URLs elsewhere. */
export function fileCalls(
  service: Service,
): Pick<Client, 'listFiles' | 'fileRecord' | 'declareFile' | 'deleteFile'> {
  return {
    async listFiles(url) {
      const request = { area: 'files', method: 'GET', url } as const;
      const answer = await service.send(request);
      const items = service.readJson(request, answer);
      if (Array.isArray(items) && items.every(isListed)) {
        return {
          items,
          // Only when asked for: to redact a long list takes several times as long as to parse it
          // (10,000 files: 0.3 s and 0.05 s), and a transfer needs no bytes.
          get bytes() {
            return service.redactedBytes(answer);
          },
        };
      }
      throw service.unusable(request, answer, 'its body is not a list of files');
    },

    async fileRecord(filesUrl, key) {
      const request = { area: 'files', method: 'GET', url: keyUrl(filesUrl, key) } as const;
      const answer = await service.send(request);
      const record = service.readJson(request, answer);
      if (isFileRecord(record)) {
        return {
          record,
          get bytes() {
            return service.redactedBytes(answer);
          },
        };
      }
      throw service.unusable(request, answer, 'its body is not a file record');
    },

    async declareFile(filesUrl, key, body) {
      const bytes = new TextEncoder().encode(JSON.stringify(body));
      const answer = await service.sendJson('files', 'PUT', keyUrl(filesUrl, key), bytes);
      const form = readSignedForm(answer.bytes);
      if (form) return form;
      throw service.unusable({ method: 'PUT' }, answer, 'its body is not a signed upload form');
    },

    async deleteFile(filesUrl, key) {
      const request = { area: 'files', method: 'DELETE', url: keyUrl(filesUrl, key) } as const;
      service.requireEmpty(request, await service.send(request));
    },
  };
}

/** The URL of a file; refuses an invalid key: `..` would lead out of the file set. */
function keyUrl(filesUrl: string, key: string): string {
  const [wrong] = checkKey(key);
  if (wrong) throw new UnusableUrl(explainViolation(wrong).message);
  return fileUrl(filesUrl, key);
}

function isFileRecord(value: unknown): value is FileRecord {
  return isListed(value) && 'url' in value && typeof value.url === 'string';
}

/** Parses a form; undefined if it is not usable. */
function readSignedForm(bytes: Uint8Array): SignedForm | undefined {
  const answer = parsed(bytes);
  if (!(answer instanceof Map)) return undefined;
  const url = answer.get('url');
  const fields = answer.get('fields');
  if (typeof url !== 'string' || originOf(url) === undefined) return undefined;
  if (!(fields instanceof Map)) return undefined;
  const entries = [...fields].map(([name, value]) => [name, fieldText(value)] as const);
  const usable = entries.filter((entry): entry is readonly [string, string] => {
    return entry[1] !== undefined;
  });
  return usable.length === entries.length ? { url, fields: usable } : undefined;
}

function parsed(bytes: Uint8Array): Json | undefined {
  try {
    return parseJson(decodeUtf8(bytes)).value;
  } catch {
    return undefined;
  }
}

/** Fields are texts; a number is sent with its exact digits. */
function fieldText(value: Json): string | undefined {
  if (typeof value === 'string') return value;
  return value instanceof JsonNumber ? value.text : undefined;
}
