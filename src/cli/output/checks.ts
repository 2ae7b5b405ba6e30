import type { ListColumns, ItemOf } from './columns.ts';

const FAILED = [
  'ended',
  'forbidden',
  'unprovisioned',
  'missing',
  'refused',
  'unreachable',
] as const;

/** The results of calling the URLs of a launch. */
export const CHECKS = {
  claim: { type: 'id' },
  url: {
    type: 'text?',
    describes: 'without its query; null where the claim is null',
    isJsonOnly: true,
  },
  verdict: { type: 'text', choices: ['live', ...FAILED, 'not called'], isJsonOnly: true },
  status: { type: 'status?', drop: 2 },
  bytes: { type: 'bytes?', describes: 'of a row as compact JSON, or of all files' },
  /** The data stored at an address, or why it is unknown. */
  state: {
    type: 'text',
    choices: [
      'empty now',
      'has data',
      'skipped: would write',
      'skipped: null',
      ...FAILED,
      'not called',
    ],
    whole: true,
  },
  ms: { type: 'count?', describes: 'from the call to the end of the response', drop: 1 },
  message: { type: 'text', describes: 'the error; empty if there is none', isJsonOnly: true },
  exit: { type: 'integer', isJsonOnly: true },
  previous: {
    schema: (s) =>
      s.described(
        s.nullable(s.object({ id: s.count, time: s.instant, bytes: s.count })),
        'of an empty row: the newest previous version with data that this machine has',
      ),
    isJsonOnly: true,
  },
} as const satisfies ListColumns;
/** The result for one URL of a launch. */
export type Check = ItemOf<typeof CHECKS>;
export type CheckVerdict = Check['verdict'];

/** The rows of a captured course. */
export const CAPTURED_ROWS = {
  row: { type: 'id' },
  bytes: { type: 'bytes', describes: 'of the row as compact JSON' },
  files: { type: 'count' },
  file_bytes: { type: 'bytes' },
} as const satisfies ListColumns;
/** A row of a captured course, as it is listed. */
export type CapturedSummary = ItemOf<typeof CAPTURED_ROWS>;

/** The checks of `doctor`. */
export const CHECKUPS = {
  name: { type: 'text' },
  state: {
    type: 'text',
    choices: ['ok', 'warning', 'wrong'],
    describes: 'a warning may be intended',
  },
  detail: { type: 'text' },
  hint: { type: 'text?' },
} as const satisfies ListColumns;
export type CheckResult = ItemOf<typeof CHECKUPS>;
