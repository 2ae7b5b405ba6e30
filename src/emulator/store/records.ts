import type { FileItem } from '../../contract/index.ts';

/** Why a token ended, in the words of "States: launch token". */
export type EndReason =
  | 'idle'
  | 'lifetime over'
  | 'tool suspended'
  | 'tool archived'
  | 'code replaced'
  | 'left the course'
  | 'membership changed'
  | 'ended by hand';

/** A launch's `api.token`, or the token of a provision request, with the launch that it stands for. */
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

/** A file whose bytes are whole. */
export interface StoredFile extends FileItem {
  readonly row: string;
  /** The bytes' ID among the blobs. */
  readonly blob: string;
  readonly contentType: string;
  readonly filename: string;
  readonly attachment: boolean;
}

/** A declared file whose bytes have not come; used once, until `expires` (ms since the epoch). */
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

/** Scores that the LMS refuses: all of them, where nothing narrows it down. */
export interface LmsRefusal {
  readonly status: number;
  readonly body: string;
  /** Of these members only. */
  readonly members?: readonly string[];
  /** This share of those, from 0 to 100, spread evenly: of 100 scores exactly so many. */
  readonly percent?: number;
  /** How many scores `percent` has been asked about. */
  readonly asked?: number;
  /** So many are still refused; then the LMS takes every score again. */
  readonly times?: number;
}

/** How the LMS behaves. */
export interface LmsBehaviour {
  /** Which scores it refuses, and its answer to them. */
  readonly refuse: LmsRefusal | null;
  /** What the school's developer key grants: `score` alone, or the line item scope besides. */
  readonly scope: 'score' | 'lineitem';
  /** How long it takes to answer. */
  readonly slowMs: number;
  /** `missing`: the columns that there were have gone from the gradebook. */
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
  /** How often the tool was asked: once, and again where no finish call came. */
  readonly requests: number;
  /** ms since the epoch. */
  readonly asked: number;
  /** The tool's answer to it; null where there was none. */
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
  /** Why there is no answer to judge. */
  readonly error: string | null;
  /** What the service takes of it; null where it rejects it. */
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
