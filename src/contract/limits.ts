/**
 * Every number that the contract states, once, with its unit in its name; and the names that it gives
 * to what the tool's side sends.
 *
 * The contract writes KB and MB without saying whether they are 1000- or 1024-based. A size above
 * the 1024-based number is certainly refused; between the two it may be. `classifySize`
 * distinguishes the three cases, and the rules turn the middle one into a warning.
 */

const BYTES_PER_KIB = 1024;
const BYTES_PER_MIB = 1024 * BYTES_PER_KIB;
const BYTES_PER_KB = 1000;
const BYTES_PER_MB = 1000 * BYTES_PER_KB;
const MS_PER_HOUR = 60 * 60 * 1000;

/** A size limit in bytes, with both readings of KB and MB. */
export interface SizeLimit {
  /** 1000-based: sizes up to this are certainly accepted. */
  readonly cautiousBytes: number;
  /** 1024-based: sizes above this are certainly refused. */
  readonly bytes: number;
  /** As the contract writes it. */
  readonly label: string;
}

function kilobytes(count: number): SizeLimit {
  return {
    cautiousBytes: count * BYTES_PER_KB,
    bytes: count * BYTES_PER_KIB,
    label: `${count} KB`,
  };
}

function megabytes(count: number): SizeLimit {
  return {
    cautiousBytes: count * BYTES_PER_MB,
    bytes: count * BYTES_PER_MIB,
    label: `${count} MB`,
  };
}

/** Whether a size is certainly accepted, certainly refused, or depends on how MB is read. */
export function classifySize(sizeBytes: number, limit: SizeLimit): 'within' | 'uncertain' | 'over' {
  if (sizeBytes > limit.bytes) return 'over';
  return sizeBytes > limit.cautiousBytes ? 'uncertain' : 'within';
}

/** "Limits": JSON object of a row, as compact JSON. */
export const ROW_SIZE = {
  context: megabytes(1),
  location: megabytes(1),
  member: kilobytes(512),
  member_location: kilobytes(512),
} as const;

/** "Limits": files per row, total file size per row kind. */
export const FILES_PER_ROW = 100;
export const FILES_TOTAL = {
  context: megabytes(500),
  location: megabytes(250),
  member: megabytes(100),
  member_location: megabytes(100),
} as const;

/** "Limits": one file, and the file key. */
export const FILE_SIZE = megabytes(25);
export const FILE_KEY_MAX_CHARACTERS = 128;

/** "Limits": launch token idle lifetime, provision request token, provisioning retry. */
export const LAUNCH_TOKEN_IDLE_MS = 12 * MS_PER_HOUR;
export const PROVISION_TOKEN_MS = 3 * MS_PER_HOUR;
export const PROVISION_RETRY_MS = 3 * MS_PER_HOUR;

/** "Limits": hosted tool upload, locations message, grouped locations. */
export const HOSTED_TOOL_ZIPPED = megabytes(25);
export const HOSTED_TOOL_WHOLE = megabytes(50);
export const LOCATIONS_MESSAGE_MAX_CHARACTERS = 2000;
export const GROUPED_LOCATIONS_MAX_LEVELS = 5;

/** A locations answer names at least one of these ("Errors": other rules, 4). */
export const LOCATIONS_KEYS = ['locations', 'grouped_locations', 'message'] as const;

/** Refused at the root of a hosted tool's folder ("Versioning": change of 2026-10-05). */
export const RESERVED_ROOT_FILE = 'voshi.json';

/** A hosted tool's manifest with one of these is refused ("Versioning": change of 2026-10-11). */
export const REFUSED_MANIFEST_KEYS = ['locations', 'grouped_locations'] as const;
