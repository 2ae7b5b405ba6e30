/** Grade attempts: an intent before each POST, an outcome after it, neither changed after that. */
export interface AttemptLedger {
  /**
   * Keeps what is about to be sent. Until it is settled, the attempt (and its row) is in doubt.
   * Rejects with a `RecordTakenError` where another worker has the row: then nothing may be sent.
   */
  intend(intent: Intent): Promise<number>;

  /**
   * Keeps what became of an attempt, once. `whose` names the member where the intent did not
   * (it had an empty one), and the service's record does; where it cannot be kept, the outcome is.
   */
  settle(attempt: number, outcome: Outcome, whose?: GradeAddress): Promise<void>;

  /** Settles an intent that came to no POST as `not_sent`. */
  withdraw(attempt: number): Promise<void>;

  /** Streams attempts in the order they were made. */
  attempts(filter?: AttemptFilter): AsyncIterable<AttemptRecord>;

  /**
   * What is known of the grade at each address, in the order of the question. Ask in batches (a
   * thousand or so): it is made for a million members.
   */
  knownGrades(asked: readonly GradeAddress[]): Promise<KnownGrade[]>;
}

export type CredentialKind = 'launch_token' | 'api_key';

/** The address of one member's grade. A query is cut off before the URL is kept or looked up. */
export interface GradeAddress {
  readonly url: string;
  readonly member: string;
}

export interface Intent extends GradeAddress {
  /** The service's location and course ids, where they are known. A URL implies them: first said, kept. */
  readonly location?: string | undefined;
  readonly context?: string | undefined;
  readonly credential: CredentialKind;
  /** The JSON as it is sent. */
  readonly body: string;
  /** The run and the line this attempt is for, both or neither. */
  readonly run?: number | undefined;
  readonly line?: number | undefined;
  /** `RecordState.tries` of a row that was claimed: another attempt since then is another worker's. */
  readonly tries?: number | undefined;
}

/** What became of an attempt. `text` is the answer's body as it came. */
export type Outcome = RecordedOutcome | RefusedOutcome | InDoubtOutcome | NotSentOutcome;

export interface RecordedOutcome {
  readonly kind: 'recorded';
  readonly status: 'success' | 'failed';
  readonly http: number;
  /** The service's record of the attempt, raw: there is no other copy. */
  readonly attempt: string;
}

export interface RefusedOutcome {
  readonly kind: 'refused';
  readonly http: number;
  /** The contract's code for the refusal, where it was recognised. */
  readonly code?: string | undefined;
  readonly text: string;
}

export interface InDoubtOutcome {
  readonly kind: 'in_doubt';
  readonly reason: string;
  readonly http?: number | undefined;
  readonly text?: string | undefined;
}

/** Surely took no effect: no connection, 429, 401. */
export interface NotSentOutcome {
  readonly kind: 'not_sent';
  readonly reason: string;
  readonly http?: number | undefined;
  readonly text?: string | undefined;
}

/** The state of an attempt or a row, in one word; `success` and `failed` are both "recorded". */
export const STATES = ['success', 'failed', 'refused', 'in_doubt', 'not_sent'] as const;
export type State = (typeof STATES)[number];

export interface AttemptFilter {
  readonly member?: string | undefined;
  readonly states?: readonly State[] | undefined;
  /** Leaves out attempts in doubt whose grade was sent again and recorded. */
  readonly stillInDoubt?: boolean | undefined;
  /** False: leaves out intents that were withdrawn, of which nothing was sent. */
  readonly withdrawn?: boolean | undefined;
  /** Made at this time or later. */
  readonly since?: number | undefined;
  readonly run?: number | undefined;
  readonly newestFirst?: boolean | undefined;
  readonly limit?: number | undefined;
}

export interface AttemptRecord extends Intent {
  readonly id: number;
  readonly time: number;
  readonly origin: string;
  readonly state: State;
  /** Absent while the answer is awaited, and for good when the process died waiting: in doubt. */
  readonly outcome?: Outcome | undefined;
  /** When the outcome was kept. */
  readonly settled?: number | undefined;
  /** Who made it, in a shared ledger. */
  readonly worker?: number | undefined;
}

/** What the ledger knows of the grade at one address. */
export interface KnownGrade {
  /** The last attempt that was recorded as `success`. */
  readonly last: LastRecorded | undefined;
  /** Attempts that are still in doubt, in the order they were made. */
  readonly doubts: readonly DoubtedGrade[];
}

export interface LastRecorded {
  readonly id: number;
  readonly time: number;
  readonly body: string;
  readonly run: number | undefined;
  /** The service's record, raw. */
  readonly attempt: string;
}

export interface DoubtedGrade {
  readonly id: number;
  readonly time: number;
  readonly body: string;
  readonly run: number | undefined;
}
