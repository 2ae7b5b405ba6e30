import type { Reply } from '../http/messages.ts';
import type { EmulatedRow } from '../state/rows.ts';

/** The service's response to a request, with what it found out on the way. */
export interface Answered {
  readonly reply: Reply;
  readonly facts: Facts;
}

/** What the service found out about a request, so that the report need not find it out again. */
export interface Facts {
  /** The code of a refusal. */
  readonly code?: string;
  /** The row behind the address, of a call that was not refused. */
  readonly row?: EmulatedRow;
  readonly written?: RowWriteFact;
  /** A row was read that was never written. */
  readonly isUnwritten?: boolean;
  readonly attempt?: {
    readonly location: string;
    readonly member: string;
    readonly status: 'success' | 'failed';
    /** Why it failed. */
    readonly failure: 'refused' | 'no_line_item' | 'scope' | undefined;
  };
  /** A file was deleted that was not there. */
  readonly isAbsent?: boolean;
  /** The key of the form that a declaration was answered with. */
  readonly declared?: string | undefined;
  /** The key of the form of an upload that an injected response kept away. */
  readonly keptAway?: string | undefined;
  /** The file whose bytes came, whole. */
  readonly uploaded?: { readonly row: string; readonly key: string };
  /** The signed address, or the key of the form, that was used after it had expired. */
  readonly expired?: string | undefined;
}

/** A row that was written. */
export interface RowWriteFact {
  /** Undefined for a row that had never been written. */
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array;
  /** Bytes of the object as compact JSON. */
  readonly size: number;
  /** Pointers to what a PATCH adds or replaces, to the names in objects; undefined for a PUT. */
  readonly pointers?: readonly string[];
}
