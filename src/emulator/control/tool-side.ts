import {
  checkLocations,
  checkManifest,
  checkToolFiles,
  truncateMessage,
  type ToolFile,
} from '../../contract/index.ts';
import { fromNative, type JsonObject } from '../../json/index.ts';
import { refuseFound } from '../service/hosted/check-upload.ts';
import { numberIn, objectIn, text, wrongBody, type Body } from '../http/fields.ts';

/**
 * Refuses the upload of a hosted tool as the dashboard does: `files` with `path` and `size`, and
 * optionally `zip_size` and `manifest`.
 */
export function refuseUpload(body: Body): void {
  const zipSize = body.zip_size === undefined ? undefined : numberIn(body, 'zip_size');
  refuseFound(checkToolFiles(filesIn(body), zipSize));
  if (body.manifest === undefined) return;
  refuseFound(checkManifest(jsonObject(objectIn(body, 'manifest'))));
}

function filesIn({ files }: Body): ToolFile[] {
  if (!Array.isArray(files)) throw wrongBody('files must be a list');
  return files.map((file: unknown) => {
    const each = objectIn({ file }, 'file');
    return { path: text(each, 'path'), size: numberIn(each, 'size') };
  });
}

/** What the service accepts of a tool's locations answer; refuses one with "an invalid structure". */
export function acceptLocations(body: Body): object {
  const answer = objectIn(body, 'answer');
  refuseFound(checkLocations(jsonObject(answer)));
  const { locations = null, grouped_locations = null, message = null } = answer;
  return {
    locations,
    grouped_locations,
    message: typeof message === 'string' ? truncateMessage(message) : null,
  };
}

function jsonObject(value: Body): JsonObject {
  return fromNative(value) as JsonObject;
}
