import type { FileItem, FileRecord, GradeAttempt, Violation } from '../contract/index.ts';
import type { ParsedObject } from '../json/index.ts';
import type { Clock } from '../ports.ts';
import type { CallEvent, Sink } from './call.ts';
import type { StreamedBody, Transport } from './transport.ts';

/** The content of a row that is not a JSON object. */
export interface InvalidRow {
  /** Its bytes, with the credential masked: it may be an error page that repeats the request. */
  readonly bytes: Uint8Array;
  /** Why it is not a row. */
  readonly violation: Violation;
}

/**
 * `read` refuses every call that would change something at a service; `write` refuses none. A
 * running emulator on loopback is no service.
 */
export type Policy = 'read' | 'write';

/** Options of a client; all have defaults. */
export interface ClientOptions {
  /** Sends the requests. By default the client creates its own: see `createTransport`. */
  readonly transport?: Transport | undefined;
  /**
   * Maximum milliseconds of a call, from the first byte sent to the last one received; defaults to
   * 60,000. The bytes of a file may take longer, at 1 KB/s or more over that time.
   */
  readonly timeoutMs?: number | undefined;
  /** Cancels every call in progress, with a `NoAnswer` of the reason `interrupted`. */
  readonly signal?: AbortSignal | undefined;
  /** Defaults to `write`. */
  readonly policy?: Policy | undefined;
  /** Called after each request; URLs have no query. */
  readonly observe?: ((event: CallEvent) => void) | undefined;
  /** Defaults to the system's clock. */
  readonly clock?: Pick<Clock, 'now' | 'monotonic' | 'setTimer'> | undefined;
}

/** The body of a declaration ("Declaration body of PUT"). */
export interface DeclarationBody {
  /** Bytes; at most 25 MB. */
  readonly size: number;
  /** By default guessed by the service from `filename` or the key. */
  readonly mimetype?: string;
  /** The name that a download is saved as; defaults to the key. */
  readonly filename?: string;
  /** Whether browsers save a download rather than show it; defaults to false. */
  readonly attachment?: boolean;
}

/**
 * The signed form of a declaration ("Signed upload form"). The entries keep their order and
 * characters: "names and values are opaque".
 */
export interface SignedForm {
  readonly url: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/** A file to upload: its bytes may be read again if a form has expired. */
export interface UploadSource extends StreamedBody {
  readonly filename: string;
  readonly mimetype: string;
}

export interface RecordedAttempt {
  /** `status` is `success`, or `failed` if the LMS refused the score. */
  readonly attempt: GradeAttempt;
  /** The exact text of the response, with credentials redacted. */
  readonly text: string;
  /** The HTTP status, 200. */
  readonly status: number;
}

/**
 * Calls the URLs of a launch, exactly as they are given. A call is made once: nothing is retried, no
 * redirect is followed, and no body is checked before it is sent (the engines and the validator do
 * that). Every method except `mayWrite` and `close` throws one of these:
 *
 * - `Refusal`: the service answered 4xx, and nothing took effect. `code` is the contract's code if it
 *   was recognised, `status` the HTTP status, `text` the service's message.
 * - `NoAnswer`: there is no usable answer. If `inDoubt` is true, a write may have taken effect, and
 *   must not be sent again without asking.
 * - `CredentialMisuse`: the credential is not valid for this call or origin; nothing was sent.
 * - `UnusableUrl`: the URL or key is invalid; nothing was sent.
 * - `PolicyError`: the policy is `read`, and the call would change something; nothing was sent.
 */
export interface Client {
  /**
   * GET of a row ("Storage rows"), parsed with exact numbers; its `text` is the exact text that the
   * service holds, `{}` for a row that was never written.
   *
   * @param url a row's URL, such as `storage.member` of a launch
   * @throws {NoAnswer} `unusable` also if the answer is not a JSON object
   */
  readRow(url: string): Promise<ParsedObject>;

  /** Like `readRow`, but returns content that is not a JSON object instead of throwing. */
  readStored(url: string): Promise<ParsedObject | InvalidRow>;

  /**
   * PUT of a row: replaces it completely. Prefer `writeRow`, which keeps a before-image and settles a
   * write whose answer was lost.
   *
   * @param body a JSON object in UTF-8
   */
  putRow(url: string, body: Uint8Array): Promise<void>;

  /**
   * PATCH of a row ("PATCH rules"): applies a patch atomically.
   *
   * @param body `{ "patch": [ … ] }`, a JSON Patch (RFC 6902), in UTF-8
   */
  patchRow(url: string, body: Uint8Array): Promise<void>;

  /**
   * The listing of a file set ("Files of a row"), and the bytes of the answer with secrets redacted.
   *
   * @param filesUrl a file set's URL, such as `files.member` of a launch
   */
  listFiles(filesUrl: string): Promise<{ items: FileItem[]; bytes: Uint8Array }>;

  /**
   * The record of one file, and the bytes of the answer with secrets redacted. Its `url` is signed, and
   * valid until `expires` (milliseconds since the epoch), a few minutes ahead.
   *
   * @throws {Refusal} 404 if no file has the key
   */
  fileRecord(filesUrl: string, key: string): Promise<{ record: FileRecord; bytes: Uint8Array }>;

  /**
   * Declares a file, and returns the signed form for its bytes ("Upload sequence"). `uploadFiles` does
   * the whole sequence, including checks.
   *
   * @throws {Refusal} 422 if the file exceeds the quota of the row
   */
  declareFile(filesUrl: string, key: string, body: DeclarationBody): Promise<SignedForm>;

  /** Posts the bytes of a file with its signed form, to another origin, without the credential. */
  uploadFile(form: SignedForm, file: UploadSource): Promise<void>;

  /**
   * Reads a file from the signed URL of its record, on another origin, without the credential.
   *
   * @throws {NoAnswer} also if it does not have exactly `sink.length` bytes
   */
  downloadFile(url: string, sink: Sink): Promise<void>;

  /** DELETE of a file; a key without a file is not an error. */
  deleteFile(filesUrl: string, key: string): Promise<void>;

  /**
   * Submits one grade ("Grade submission"). Every call is a new attempt, which is published again, and
   * the answer is the only record of it. Prefer `attempt`, which keeps it in a ledger.
   *
   * @param url `grade.submit` of a launch; for another student see `gradeUrlFor`
   * @param body such as `{ "score": 0.85, "max_score": 50 }` in UTF-8; `score` is from 0 to 1
   */
  submitGrade(url: string, body: Uint8Array): Promise<RecordedAttempt>;

  /** The finish call: marks a course level as provisioned (`provision` of a launch). */
  finishProvision(url: string): Promise<void>;

  /**
   * Whether the policy lets this client change something. With `read` it asks, once and without the
   * credential, whether an emulator answers at a loopback origin.
   */
  mayWrite(): Promise<boolean>;

  /** Closes the connections of the client's own transport; one passed in `options` stays open. */
  close(): Promise<void>;
}
