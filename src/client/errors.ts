import type { Area, Code } from '../contract/index.ts';

/** What a call is made with: a credential, without its secret. */
export interface Caller {
  /** `launch_token`: `api.token` of a launch. `api_key`: the tool's API key, for grades only. */
  readonly kind: 'launch_token' | 'api_key';
  /** Such as `https://service.example`. */
  readonly origin: string;
  /** The name of the launch or key, for messages. */
  readonly name?: string | undefined;
}

/** How a message names it: `launch monday`, `key regrade`; undefined without a name. */
export function callerText({ kind, name }: Caller): string | undefined {
  if (name === undefined) return undefined;
  return `${kind === 'api_key' ? 'key' : 'launch'} ${name}`;
}

/** The service answered 4xx; nothing took effect. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly area!: Area | 'signed';
  readonly status!: number;
  /** The contract's code, if the answer was recognised. */
  readonly code: Code | undefined;
  /** Why the object store refused; undefined for the service itself. */
  readonly storageCause: StorageCause | undefined;
  /** The service's message; untrusted, may be empty. */
  readonly text!: string;
  /** `Retry-After` in milliseconds from now, if the answer had it. */
  readonly retryAfterMs: number | undefined;
  /** `Date` of the answer, in milliseconds since the epoch. */
  readonly dateMs: number | undefined;
  /** Without its query. */
  readonly url!: string;
  /** Whether the call would have changed something. */
  readonly isWrite!: boolean;
  /** What the call was made with. */
  readonly caller: Caller | undefined;

  constructor(facts: Omit<Refusal, keyof Error>) {
    super(facts.text === '' ? `refused with ${facts.status}` : `${facts.status}: ${facts.text}`);
    Object.assign(this, facts);
  }
}

export type NoAnswerReason =
  'connection' | 'timeout' | 'interrupted' | 'redirect' | 'server-error' | 'unusable' | 'too-large';

/** There is no usable answer. `inDoubt` is set if the call may have taken effect. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly reason!: NoAnswerReason;
  /** True for a write that was or may have been sent, so that its effect is unknown. */
  readonly inDoubt!: boolean;
  readonly status: number | undefined;
  /** What was received, with credentials redacted; untrusted, may be empty or incomplete. */
  readonly body: string = '';
  /** `Retry-After` in milliseconds from now, if the answer had it. */
  readonly retryAfterMs: number | undefined;
  /** The origin that could not be connected to; nothing was sent. */
  readonly unreached: string | undefined;
  /** What the call was made with. */
  readonly caller: Caller | undefined;
  readonly file:
    | {
        readonly action: 'declaration' | 'upload' | 'delete';
        readonly key: string;
        readonly label?: string | undefined;
      }
    | undefined;
  /** The row whose write is in doubt, and the ID of its before-image. */
  readonly row: { readonly label: string; readonly image: number | undefined } | undefined;
  /** The member whose single grade is in doubt. */
  readonly member: string | undefined;

  constructor(
    message: string,
    facts: Pick<NoAnswer, 'reason' | 'inDoubt'> & Partial<Omit<NoAnswer, keyof Error>>,
    options?: ErrorOptions,
  ) {
    super(message, options);
    Object.assign(this, facts);
  }
}

/** The error of a write, with what the write was about if it is in doubt. */
export function doubtAbout(
  error: unknown,
  subject: Partial<Pick<NoAnswer, 'file' | 'row' | 'member'>>,
): unknown {
  if (!(error instanceof NoAnswer && error.inDoubt)) return error;
  return new NoAnswer(error.message, { ...error, ...subject }, { cause: error.cause });
}

/**
 * `missing`: the launch has none. `malformed`: not valid in a header. `wrong_kind`: not accepted for
 * this call. `other_origin`: it belongs to another service.
 */
export type CredentialFault = 'missing' | 'malformed' | 'wrong_kind' | 'other_origin';

/** The credential must not be sent with this call; nothing was sent. */
export class CredentialMisuse extends Error {
  override readonly name = 'CredentialMisuse';
  readonly code: CredentialFault;
  readonly hint: string;
  /** What the call was to be made with; undefined for `missing` and `malformed`. */
  readonly caller: Caller | undefined;

  constructor(code: CredentialFault, message: string, hint: string, caller?: Caller) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.caller = caller;
  }
}

/** A URL that cannot be called; nothing was sent. */
export class UnusableUrl extends Error {
  override readonly name = 'UnusableUrl';
}

/** The policy of the client is `read`, and the call would change something; nothing was sent. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError';
  readonly code = 'policy.read';

  constructor(request: string) {
    super(`the policy is read: ${request} was not sent`);
  }
}

/** Why the object store refused an upload or a download. */
export type StorageCause = 'expired' | 'wrong_size' | 'too_large' | 'refused';

const EXPIRED = /expired|not valid in the specified time frame/i;
const TOO_LARGE = /too ?large|exceeds the maximum/i;
const WRONG_SIZE =
  /too ?small|incomplete ?body|content-length-range|bad ?digest|size.{0,99}(match|differ)/i;

/**
 * The cause of a refusal by the object store behind a signed URL. The contract does not show its
 * answers: object stores use XML (`EntityTooLarge`, `AccessDenied: Request has expired`), proxies HTML.
 */
export function storageCause(status: number, text: string): StorageCause {
  if (EXPIRED.test(text)) return 'expired';
  if (status === 413 || TOO_LARGE.test(text)) return 'too_large';
  if (WRONG_SIZE.test(text)) return 'wrong_size';
  return 'refused';
}
