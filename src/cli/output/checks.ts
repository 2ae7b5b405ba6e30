import { column, type ItemOf } from './resource.ts';
import { bytesCell, stateCell } from './table.ts';

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
  claim: column((s) => s.text, { whole: true }),
  url: column(
    (s) => s.described(s.nullable(s.text), 'without its query; null where the claim is null'),
    { isJsonOnly: true },
  ),
  verdict: column((s) => s.oneOf('live', ...FAILED, 'not called'), { isJsonOnly: true }),
  status: column((s) => s.nullable(s.httpStatus), { numeric: true, drop: 2 }),
  bytes: column(
    (s) => s.described(s.nullable(s.count), 'of a row as compact JSON, or of all files'),
    { numeric: true, cell: bytesCell },
  ),
  /** The data stored at an address, or why it is unknown. */
  state: column(
    (s) =>
      s.oneOf(
        'empty now',
        'has data',
        'skipped: would write',
        'skipped: null',
        ...FAILED,
        'not called',
      ),
    { whole: true, cell: stateCell },
  ),
  ms: column((s) => s.described(s.nullable(s.count), 'from the call to the end of the response'), {
    numeric: true,
    drop: 1,
  }),
  message: column((s) => s.described(s.text, 'the error; empty if there is none'), {
    isJsonOnly: true,
  }),
  exit: column((s) => s.integer, { isJsonOnly: true }),
  previous: column(
    (s) =>
      s.described(
        s.nullable(s.object({ id: s.count, time: s.instant, bytes: s.count })),
        'of an empty row: the newest previous version with data that this machine has',
      ),
    { isJsonOnly: true },
  ),
};
/** The result for one URL of a launch. */
export type Check = ItemOf<typeof CHECKS>;
export type CheckVerdict = Check['verdict'];

/** The rows of a captured course. */
export const CAPTURED_ROWS = {
  row: column((s) => s.text, { whole: true }),
  bytes: column((s) => s.described(s.count, 'of the row as compact JSON'), {
    numeric: true,
    cell: bytesCell,
  }),
  files: column((s) => s.count, { numeric: true }),
  file_bytes: column((s) => s.count, { numeric: true, cell: bytesCell }),
};
/** A row of a captured course, as it is listed. */
export type CapturedSummary = ItemOf<typeof CAPTURED_ROWS>;
