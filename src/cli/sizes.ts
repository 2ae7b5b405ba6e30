import { ROW_SIZE } from '../contract/index.ts';

/**
 * The maximum size of JSON input. The limits apply to compact JSON, and the input may be indented;
 * more might not fit into memory.
 */
export const MAX_JSON_BYTES = 16 * ROW_SIZE.context.bytes;

/** The maximum size of a launch, a key or a list of keys. */
export const MAX_LAUNCH_BYTES = ROW_SIZE.context.bytes;
