import type { Area, Code } from '../contract/index.ts';
import type { StorageCause } from './storage-cause.ts';

/** The service answered 4xx: it refused, and nothing took effect. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly area: Area | 'signed';
  readonly status: number;
  /** The code of the contract that the answer stands for, where it was recognised. */
  readonly code: Code | undefined;
  /** Why a signed address refused; undefined for the service itself. */
  readonly storageCause: StorageCause | undefined;
  /** The service's own words out of the answer; untrusted, may be empty. */
  readonly text: string;
  /** When a retry may be made, in milliseconds from now, where the answer said so. */
  readonly retryAfterMs: number | undefined;

  constructor(init: {
    area: Area | 'signed';
    status: number;
    code: Code | undefined;
    storageCause: StorageCause | undefined;
    text: string;
    retryAfterMs: number | undefined;
  }) {
    super(init.text === '' ? `refused with ${init.status}` : `${init.status}: ${init.text}`);
    this.area = init.area;
    this.status = init.status;
    this.code = init.code;
    this.storageCause = init.storageCause;
    this.text = init.text;
    this.retryAfterMs = init.retryAfterMs;
  }
}

export type NoAnswerReason =
  'connection' | 'timeout' | 'interrupted' | 'redirect' | 'server-error' | 'unusable' | 'too-large';

/** There is no usable answer. Whether something may have taken effect is `inDoubt`. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly reason: NoAnswerReason;
  /** A write that was sent, or may have been: it took effect, or did not. */
  readonly inDoubt: boolean;
  readonly status: number | undefined;
  /** What did come back, as it came but for credentials; untrusted, may be empty or cut. */
  readonly body: string;
  /** When the service wants to be asked again, in milliseconds from now, where it said so. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    init: {
      reason: NoAnswerReason;
      inDoubt: boolean;
      status?: number;
      body?: string;
      retryAfterMs?: number | undefined;
    },
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.reason = init.reason;
    this.inDoubt = init.inDoubt;
    this.status = init.status;
    this.body = init.body ?? '';
    this.retryAfterMs = init.retryAfterMs;
  }
}

/**
 * `missing`: a launch without one. `malformed`: no request can carry it. `wrong_kind`: not accepted
 * for this call. `other_origin`: it belongs to another service.
 */
export type CredentialFault = 'missing' | 'malformed' | 'wrong_kind' | 'other_origin';

/** The credential at hand must not go where the call would take it; nothing was sent. */
export class CredentialMisuse extends Error {
  override readonly name = 'CredentialMisuse';
  readonly code: CredentialFault;
  readonly hint: string;

  constructor(code: CredentialFault, message: string, hint: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** A URL cannot be called as it stands; nothing was sent. */
export class UnusableUrl extends Error {
  override readonly name = 'UnusableUrl';
}
