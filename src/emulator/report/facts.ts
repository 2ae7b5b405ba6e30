import type { RowAddress, Target } from '../service/addresses.ts';

/**
 * What the service found out about a request while it answered it. The handlers note it, so that the
 * report need not find it out again.
 */
export interface Facts {
  /** What its target names; undefined where no address looks like that. */
  target?: Target | undefined;
  /** The code of a refusal. */
  code?: string | undefined;
  /** The row behind the address, with its key in the store. */
  row?: (RowAddress & { readonly key: string }) | undefined;
  written?: RowWrite | undefined;
  /** A row was read that nobody has ever written. */
  isUnwritten?: boolean;
  /** The body of a grade submission, where it was read as an object. */
  grade?: Readonly<Record<string, unknown>> | undefined;
  attempt?:
    | {
        readonly location: string;
        readonly member: string;
        readonly status: 'success' | 'failed';
        /** Why it failed. */
        readonly failure?: 'refused' | 'no_line_item' | 'scope' | undefined;
      }
    | undefined;
  /** A file was deleted that was not there. */
  isAbsent?: boolean;
  /** The file whose bytes came, whole. */
  uploaded?: { readonly row: string; readonly key: string };
  /** The LMS is to refuse the score. */
  isScoreRefused?: boolean;
  /** The signed address, or the key of the form, that was used after it had expired. */
  expired?: string | undefined;
}

/** What is known of a request at its beginning; what nearly each one gets has its place already. */
export function noFacts(): Facts {
  return {
    target: undefined,
    row: undefined,
    written: undefined,
    code: undefined,
    grade: undefined,
    attempt: undefined,
  };
}

/** A row that was written. */
export interface RowWrite {
  /** Undefined for a row that had never been written. */
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array;
  /** Bytes of the object as compact JSON. */
  readonly size: number;
  /** Pointers to what a PATCH adds or replaces, to the names in objects; undefined for a PUT. */
  readonly pointers?: readonly string[];
}
