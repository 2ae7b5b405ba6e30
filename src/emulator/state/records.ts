import type { FileItem } from '../../contract/index.ts';

/** Why a token ended ("States: launch token"). */
export type EndReason =
  | 'idle'
  | 'lifetime over'
  | 'tool suspended'
  | 'tool archived'
  | 'code replaced'
  | 'left the course'
  | 'membership changed'
  | 'ended by hand';

/** A launch's `api.token`, or the token of a provision request, with its launch. */
export interface Token {
  readonly token: string;
  readonly kind: 'launch' | 'provision';
  readonly launchId: string;
  readonly tool: string;
  readonly course: string;
  /** '' for a provision request of the course alone. */
  readonly location: string;
  /** The member and user who launched; both '' for a provision request. */
  readonly member: string;
  readonly user: string;
  /** Whether `grade.submit` has the account shape. */
  readonly account: boolean;
  /** ms since the epoch. */
  readonly issued: number;
  readonly lastCall: number;
  /** The `lastCall` that the store has. */
  readonly storedCall: number;
  readonly ended: EndReason | '';
}

/** An uploaded file. */
export interface StoredFile extends FileItem {
  readonly row: string;
  /** The bytes' ID among the blobs. */
  readonly blob: string;
  readonly contentType: string;
  readonly filename: string;
  readonly attachment: boolean;
}

/** A declared file that is not uploaded yet; usable once, until `expires` (ms since the epoch). */
export interface Upload {
  readonly id: string;
  readonly row: string;
  readonly key: string;
  readonly size: number;
  readonly contentType: string;
  readonly filename: string;
  readonly attachment: boolean;
  readonly fields: Readonly<Record<string, string>>;
  readonly expires: number;
}

/** Which scores the LMS refuses; all of them by default. */
export interface LmsRefusal {
  readonly status: number;
  readonly body: string;
  /** Of these members only. */
  readonly members?: readonly string[];
  /** This share of them, from 0 to 100, spread evenly: of 100 scores exactly `percent`. */
  readonly percent?: number;
  /** How many scores `percent` has been applied to. */
  readonly asked?: number;
  /** How many are still refused before the LMS accepts all scores again. */
  readonly times?: number;
}

/** How the LMS behaves. */
export interface LmsBehaviour {
  /** Which scores it refuses, and its answer to them. */
  readonly refuse: LmsRefusal | null;
  /** What the school's developer key grants: `score` only, or the line item scope as well. */
  readonly scope: 'score' | 'lineitem';
  /** How long it takes to answer. */
  readonly slowMs: number;
  /** `missing`: the columns were removed from the gradebook. */
  readonly column: 'present' | 'missing';
}

/** The code of one version of a hosted tool: the zip that was uploaded. */
export interface ToolCode {
  readonly tool: string;
  readonly version: number;
  /** The zip's ID among the blobs. */
  readonly blob: string;
  readonly sha256: string;
  /** Bytes of the zip; and of its files, unpacked. */
  readonly zipSize: number;
  readonly size: number;
  readonly files: number;
  /** ms since the epoch. */
  readonly uploaded: number;
}

/** Lets a frame read one version of a tool's code and its own launch. */
export interface Ticket {
  readonly ticket: string;
  readonly launchId: string;
  readonly tool: string;
  readonly version: number;
}

/** The latest provision request that was sent to a tool's server, for one level. */
export interface ProvisionCall {
  readonly tool: string;
  readonly course: string;
  readonly location: string;
  readonly launchId: string;
  /** How often the tool was asked: once, and again without a finish call. */
  readonly requests: number;
  /** ms since the epoch. */
  readonly asked: number;
  /** The status of the tool's answer; null if there was none. */
  readonly status: number | null;
  readonly error: string | null;
}

/** The latest answer of a tool to a locations request, for one course. */
export interface LocationsAnswer {
  readonly tool: string;
  readonly course: string;
  /** ms since the epoch. */
  readonly asked: number;
  readonly status: number | null;
  /** Why there is no usable answer. */
  readonly error: string | null;
  /** What the service accepts of it; null if it rejects it. */
  readonly answer: {
    readonly locations: unknown;
    readonly grouped_locations: unknown;
    readonly message: string | null;
  } | null;
  readonly findings: readonly {
    readonly code: string;
    readonly severity: string;
    readonly path: string;
    readonly message: string;
    readonly hint: string;
  }[];
}
