import type { GradeAttempt, RowKind } from '../contract/index.ts';

/*
 * What the control side answers, as far as the console reads it. It is called by HTTP and shares no
 * code with the emulator; test/browser holds the two together.
 */

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
  readonly total: number;
}

export interface Exchange {
  readonly number: number;
  readonly time: string;
  readonly origin: 'api' | 'blobs';
  readonly method: string;
  readonly path: string;
  readonly credential: string | null;
  readonly launch_id: string | null;
  readonly status: number | null;
  readonly bytes: number;
  readonly ms: number;
  readonly error: string | null;
  readonly fault: string | null;
}

export type EmulatorEvent =
  | { readonly event: number; readonly kind: 'request'; readonly request: Exchange }
  | { readonly event: number; readonly kind: 'change'; readonly operation: string }
  | { readonly event: number; readonly kind: 'start'; readonly missed: boolean };

export interface Body {
  readonly text: string | null;
  readonly bytes: number;
  readonly cut: boolean;
}

export interface Half {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Body | null;
}

export interface ShownRequest extends Exchange {
  readonly captured: { readonly request: Half; readonly response: Half } | null;
}

export interface Summary {
  readonly now: number;
  readonly offset_ms: number;
  readonly base_url: string;
  readonly blob_url: string;
  readonly tools: number;
  readonly courses: number;
  readonly locations: number;
  readonly members: number;
  readonly rows: number;
  readonly files: number;
  readonly file_bytes: number;
  readonly attempts: number;
  readonly attempts_failed: number;
  readonly tokens: number;
  readonly tokens_live: number;
  readonly requests: number;
  readonly faults: number;
}

export interface Lms {
  readonly refuse: {
    readonly status: number;
    readonly body: string;
    readonly members?: readonly string[];
    readonly percent?: number;
    readonly times?: number;
  } | null;
  readonly scope: 'score' | 'lineitem';
  readonly column: 'present' | 'missing';
  readonly slow_ms: number;
}

export interface Location {
  readonly id: string;
  readonly course: string;
  readonly tool: string;
  readonly type: string;
  readonly title: string;
  readonly points: number | null;
  readonly lms: Lms;
}

export interface Tool {
  readonly id: string;
  readonly name: string;
  readonly hosted: boolean;
  readonly status: 'active' | 'suspended' | 'archived';
  readonly has_key: boolean;
  readonly current: number;
  readonly pilot: number;
  readonly versions: readonly {
    readonly number: number;
    readonly visibility: string;
    readonly state: string;
    readonly deprecated: boolean;
  }[];
  readonly codes: readonly {
    readonly version: number;
    readonly files: number;
    readonly bytes: number;
    readonly uploaded: number;
  }[];
  readonly callback: string | null;
  readonly runs: readonly { readonly course: string; readonly version: number }[];
}

export interface World {
  readonly courses: readonly { readonly id: string; readonly title: string }[];
  readonly locations: readonly Location[];
  readonly tools: readonly Tool[];
}

export interface Member {
  readonly id: string;
  readonly course: string;
  readonly groups: readonly string[];
  readonly name: string;
  readonly email: string;
  readonly left: boolean;
}

export interface Token {
  readonly launch_id: string;
  readonly kind: 'launch' | 'provision';
  readonly tool: string;
  readonly course: string;
  readonly location: string;
  readonly member: string;
  readonly name: string;
  readonly issued: number;
  readonly last_call: number;
  readonly ended: string;
  readonly expires: number;
  readonly seconds_left: number;
}

export interface Row {
  readonly row: string;
  readonly bytes: number | null;
  readonly known: boolean;
  readonly kind: RowKind;
  readonly tool: string;
  readonly course: string;
  readonly location: string;
  readonly member: string;
  readonly name: string;
  readonly unprovisioned: boolean;
  readonly limit: number;
  readonly url: string;
  readonly files_url: string;
}

export interface FileSet extends Row {
  readonly files: number;
  readonly file_bytes: number;
}

export interface Files extends Row {
  readonly items: readonly {
    readonly key: string;
    readonly size: number;
    readonly modified: number;
    readonly content_type: string;
  }[];
  readonly file_bytes: number;
  readonly quota: { readonly files: number; readonly bytes: number };
}

export interface RowHistory extends Row {
  readonly etag: string;
  readonly versions: readonly {
    readonly number: number;
    readonly at: number;
    readonly by: string;
    readonly launch_id: string | null;
    readonly bytes: number;
  }[];
}

export interface Attempt extends GradeAttempt {
  readonly name: string;
}

export interface Grade {
  readonly location: string;
  readonly member: string;
  readonly name: string;
  readonly points: number;
  readonly of: number;
  readonly comment: string;
  readonly activity_progress: string;
  readonly grading_progress: string;
  readonly at: string;
}

export interface Fault {
  readonly id: number;
  readonly method: string | null;
  readonly path: string;
  readonly times: number;
  readonly effect: 'status' | 'close' | 'cut' | 'delay';
  readonly status?: number;
  readonly when?: string;
  readonly ms?: number;
}

export interface Finding {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly requests: readonly number[];
  readonly message: string;
  readonly hint: string;
  readonly rule: string;
}

interface Outcome {
  readonly requests: readonly number[];
  readonly message: string;
}

/** What trouble on purpose there was, and what was lost or doubled by it. */
export interface Chaos {
  readonly seed: string;
  readonly share: number;
  readonly troubles: readonly { readonly trouble: string; readonly count: number }[];
  readonly lost: readonly Outcome[];
  readonly doubled: readonly Outcome[];
}

/** What a tool can meet, and the command that makes it meet it. */
export interface Situation {
  readonly id: string;
  readonly words: string;
  readonly seen: boolean;
  readonly how: string;
}

export interface Report {
  readonly requests: number;
  readonly findings: readonly Finding[];
  readonly coverage: readonly Situation[];
  readonly chaos: Chaos | null;
}

export interface ClockEnds {
  readonly live: number;
  readonly ends: readonly { readonly seconds: number; readonly ended: number }[];
  readonly tokens: readonly Token[];
}

export interface Clock {
  readonly now: number;
  readonly iso: string;
  readonly offset_ms: number;
}
