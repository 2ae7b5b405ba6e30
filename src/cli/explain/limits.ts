import type { Explained } from '../output/explained.ts';
import {
  FILE_KEY_MAX_CHARACTERS,
  FILE_SIZE,
  FILES_PER_ROW,
  FILES_TOTAL,
  GROUPED_LOCATIONS_MAX_LEVELS,
  HOSTED_TOOL_WHOLE,
  HOSTED_TOOL_ZIPPED,
  LAUNCH_TOKEN_IDLE_MS,
  LOCATIONS_MESSAGE_MAX_CHARACTERS,
  PROVISION_RETRY_MS,
  PROVISION_TOKEN_MS,
  ROW_KINDS,
  ROW_SIZE,
  type SizeLimit,
} from '../../contract/index.ts';

const size = (limit: string, { label, bytes, cautiousBytes }: SizeLimit): Explained<'limits'> => ({
  limit,
  value: label,
  bytes,
  safe_bytes: cautiousBytes,
});

const hours = (ms: number): string => `${ms / 3_600_000} hours`;

/** "Limits", whole. */
export const LIMITS: readonly Explained<'limits'>[] = [
  ...ROW_KINDS.map((kind) => size(`JSON object of a ${kind} row, as compact JSON`, ROW_SIZE[kind])),
  { limit: 'files per row', value: String(FILES_PER_ROW) },
  ...ROW_KINDS.map((kind) => size(`total file size of a ${kind} row`, FILES_TOTAL[kind])),
  size('one file; the upload must match the declared size', FILE_SIZE),
  {
    limit: 'file key',
    value: `1 to ${FILE_KEY_MAX_CHARACTERS} characters: letters, digits, ".", "_", "-", the first a letter or digit`,
  },
  {
    limit: 'idle lifetime of a launch token',
    value: `${hours(LAUNCH_TOKEN_IDLE_MS)} without a call; each successful call restarts it`,
  },
  {
    limit: 'lifetime of the token of a provision request',
    value: `${hours(PROVISION_TOKEN_MS)}, fixed`,
  },
  {
    limit: 'provisioning',
    value: `requested once, and again after about ${hours(PROVISION_RETRY_MS)} without a finish call`,
  },
  { limit: 'signed download URL of a file', value: 'valid for a few minutes, until its expires' },
  size('hosted tool, zipped', HOSTED_TOOL_ZIPPED),
  size('hosted tool, unpacked', HOSTED_TOOL_WHOLE),
  {
    limit: 'message of a locations answer',
    value: `plain text, truncated at ${LOCATIONS_MESSAGE_MAX_CHARACTERS} characters`,
  },
  { limit: 'grouped locations', value: `nested up to ${GROUPED_LOCATIONS_MAX_LEVELS} levels` },
  { limit: 'request rate', value: 'not shown in the contract' },
];
