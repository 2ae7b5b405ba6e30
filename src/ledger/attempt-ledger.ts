import type { CredentialKind, Evidence } from './filed.ts';

/** Grade attempts: an intent before each POST, an outcome after it, neither changed after that. */
export interface AttemptLedger {
  /**
   * Stores what is about to be sent. Until its outcome is stored, the attempt (and its row) is in doubt.
   * Rejects with a `RecordTakenError` if another worker has the row: then nothing may be sent.
   */
  intend(intent: Intent): Promise<PendingAttempt>;

  /**
   * Stores the outcome of an attempt, once. `whose` names the member if the intent did not (it was
   * empty) but the service's record does.
   */
  storeOutcome(attempt: PendingAttempt, outcome: Outcome, whose?: GradeAddress): Promise<void>;

  /** Marks an intent that was not sent as `not_sent`. */
  withdraw(attempt: PendingAttempt): Promise<void>;

  /** Streams attempts in the order they were made. */
  attempts(filter?: AttemptFilter): AsyncIterable<AttemptRecord>;

  /**
   * Returns the known grade at each address, in the order asked. Ask in batches (of a thousand or
   * so): it is made for a million members. With the number of a run, `last` is the one before the
   * run's first attempt for the member.
   */
  knownGrades(asked: readonly GradeAddress[], beforeRun?: number): Promise<KnownGrade[]>;
}

/**
 * An attempt without an outcome, as `intend` returned it. Two of them can have the same number: after
 * a failover the server may assign the numbers of lost attempts again.
 */
export interface PendingAttempt {
  readonly id: number;
}

/** The address of one member's grade. The query is removed before the URL is stored or looked up. */
export interface GradeAddress {
  readonly url: string;
  readonly member: string;
}

export interface Intent extends GradeAddress {
  /** The service's location and course ids, if known. A URL implies them: the first ones are stored. */
  readonly location?: string | undefined;
  readonly context?: string | undefined;
  readonly credential: CredentialKind;
  /** The JSON that is sent. */
  readonly body: string;
  /** The run and the line this attempt is for, both or neither. */
  readonly run?: number | undefined;
  readonly line?: number | undefined;
  /** `RecordState.tries` of a claimed row: an attempt since then is another worker's. */
  readonly tries?: number | undefined;
}

/** The outcome of an attempt. `text` is the unchanged body of the answer. */
export type Outcome =
  | {
      readonly kind: 'recorded';
      readonly status: 'success' | 'failed';
      readonly http: number;
      /** The service's record of the attempt, raw: there is no other copy. */
      readonly attempt: string;
    }
  | {
      readonly kind: 'refused';
      readonly http: number;
      /** The contract's code of the refusal, if recognised. */
      readonly code?: string | undefined;
      readonly text: string;
    }
  | {
      /** `not_sent`: certainly without effect: no connection, 429, 401. */
      readonly kind: 'in_doubt' | 'not_sent';
      readonly reason: string;
      readonly http?: number | undefined;
      readonly text?: string | undefined;
    };

/** The state of an attempt or a row, in one word; `success` and `failed` are both "recorded". */
export const STATES = ['success', 'failed', 'refused', 'in_doubt', 'not_sent'] as const;
export type State = (typeof STATES)[number];

/**
 * The weight of an attempt for the state of its row. The heaviest decides, of equal ones the last: so
 * an attempt without effect hides neither a doubt nor a record.
 */
export function weightOf(result: Outcome['kind'] | State): number {
  if (result === 'not_sent') return 0;
  return result === 'refused' ? 1 : 2;
}

export interface AttemptFilter {
  readonly member?: string | undefined;
  readonly states?: readonly State[] | undefined;
  /** Leaves out attempts in doubt whose grade was sent again and recorded. */
  readonly stillInDoubt?: boolean | undefined;
  /** False: leaves out withdrawn intents, which were not sent. */
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
  /** Absent while the answer is awaited, or forever if the process died: in doubt. */
  readonly outcome?: Outcome | undefined;
  /** When the outcome was stored. */
  readonly answeredAt?: number | undefined;
  /** The newest settlement of its doubt, which decides `state` as long as there is no answer. */
  readonly evidence?: Evidence | undefined;
  /** Who made it, in a shared ledger. */
  readonly worker?: number | undefined;
}

/** The grade at one address, as far as the ledger knows it. */
export interface KnownGrade {
  /** The last attempt that was recorded as `success`. */
  readonly last: LastRecorded | undefined;
  /** Attempts that are still in doubt, in the order they were made. */
  readonly doubts: readonly DoubtedGrade[];
}

export interface DoubtedGrade {
  readonly id: number;
  readonly time: number;
  readonly body: string;
  readonly run: number | undefined;
  /** When that run was planned. */
  readonly planned: number | undefined;
}

export interface LastRecorded extends DoubtedGrade {
  /** The service's record, raw; undefined if an export showed the grade. */
  readonly attempt: string | undefined;
}
