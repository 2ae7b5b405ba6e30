import {
  checkKey,
  explainViolation,
  type FileItem,
  type FileRecord,
  fileUrl,
  isObject,
} from '../contract/index.ts';
import type { Client } from './client.ts';
import { UnusableUrl } from './errors.ts';
import type { Service } from './service.ts';
import { readSignedForm } from './signed-form.ts';

/** The calls of "Files of a row" to the service; the bytes of files have signed URLs elsewhere. */
export function fileCalls(
  service: Service,
): Pick<Client, 'listFiles' | 'fileRecord' | 'declareFile' | 'deleteFile'> {
  return {
    async listFiles(url) {
      const request = { area: 'files', method: 'GET', url } as const;
      const answer = await service.send(request);
      const items = service.readJson(request, answer);
      if (Array.isArray(items) && items.every(isFileItem)) {
        return {
          items,
          // A transfer needs none, and would wait for them.
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

function isFileItem(value: unknown): value is FileItem {
  return isObject(value) && typeof value.key === 'string' && typeof value.size === 'number';
}

function isFileRecord(value: unknown): value is FileRecord {
  return isFileItem(value) && 'url' in value && typeof value.url === 'string';
}
