import {
  checkLocations,
  checkManifest,
  checkToolFiles,
  truncateMessage,
  type ToolFile,
} from '../../contract/index.ts';
import { fromNative, type JsonObject } from '../../json/index.ts';
import { refuseFound } from '../service/hosted/check-upload.ts';
import * as s from '../../schema/schema.ts';
import { operation } from './operation.ts';

export const TOOL_SIDE_OPERATIONS = {
  'POST locations': operation({
    summary: "what the service takes of a tool's locations answer",
    takes: s.object({ answer: s.anyObject }),
    answers: s.object({ locations: s.any, grouped_locations: s.any, message: s.nullable(s.text) }),
    isQuiet: true,
    run: (_control, { answer }) => acceptLocations(answer),
  }),
};

/** Refuses the upload of a hosted tool as the dashboard does. */
export function refuseUpload({
  files = [],
  zip_size: zipSize,
  manifest,
}: {
  readonly files?: readonly ToolFile[];
  readonly zip_size?: number;
  readonly manifest?: Body;
}): void {
  refuseFound(checkToolFiles(files, zipSize));
  if (manifest !== undefined) refuseFound(checkManifest(jsonObject(manifest)));
}

function acceptLocations(answer: Body) {
  refuseFound(checkLocations(jsonObject(answer)));
  const { locations = null, grouped_locations = null, message = null } = answer;
  return {
    locations,
    grouped_locations,
    message: typeof message === 'string' ? truncateMessage(message) : null,
  };
}

type Body = Readonly<Record<string, unknown>>;

function jsonObject(value: Body): JsonObject {
  return fromNative(value) as JsonObject;
}
