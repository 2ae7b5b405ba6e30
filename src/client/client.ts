import type { FileItem, FileRecord, GradeAttempt, Violation } from '../contract/index.ts';
import type { ParsedObject } from '../json/index.ts';
import type { Clock } from '../ports.ts';
import type { CallEvent, Sink } from './call.ts';
import type { UploadSource } from './multipart.ts';
import type { SignedForm } from './signed-form.ts';
import type { Transport } from './transport.ts';

/** What is in the place of a row and is not a JSON object. */
export interface StrayBytes {
  /** The credential is masked in them: they may be a page that repeats what it was sent. */
  readonly bytes: Uint8Array;
  /** Why they are not a row. */
  readonly violation: Violation;
}

/** How a client calls. */
export interface ClientOptions {
  /** Puts requests on the wire. Left out, the client makes one of its own: see `createTransport`. */
  readonly transport?: Transport | undefined;
  /**
   * Milliseconds that a call may take, from its first byte out to the last one in; 60,000. The bytes
   * of a file may take longer, as long as 1 KB/s of them moves over that time.
   */
  readonly timeoutMs?: number | undefined;
  /** Ends every call that is under way, with a `NoAnswer` for the reason `interrupted`. */
  readonly signal?: AbortSignal | undefined;
  /** Told of each request and its answer; URLs come without their query. */
  readonly observe?: ((event: CallEvent) => void) | undefined;
  /** The machine's own, unless a test turns one. */
  readonly clock?: Pick<Clock, 'now' | 'monotonic' | 'setTimer'> | undefined;
}

/** The body of a declaration, as it is sent ("Declaration body of PUT"). */
export interface DeclarationBody {
  /** Bytes; at most 25 MB. */
  readonly size: number;
  /** Guessed by the service from `filename`, or from the key, when left out. */
  readonly mimetype?: string;
  /** The name that a download is saved as; the key when left out. */
  readonly filename?: string;
  /** Makes a browser save a download rather than show it; false when left out. */
  readonly attachment?: boolean;
}

/** An attempt as the service recorded it. */
export interface RecordedAttempt {
  /** `status` is `success` or `failed`: what the LMS refuses is an attempt too. */
  readonly attempt: GradeAttempt;
  /** The answer as it came, but for a credential in it. */
  readonly text: string;
  /** The HTTP status, 200. */
  readonly status: number;
}

/**
 * Calls the URLs of a launch, each exactly as it is given. A call is made once: nothing is repeated,
 * no redirect is followed, and no body is checked before it is sent (the engines and the validator do
 * that). Every method but `close` throws one of these:
 *
 * - `Refusal`: the service answered 4xx, and nothing took effect. `code` is the contract's code for
 *   it where it was recognised, `status` the HTTP status, `text` the service's own words.
 * - `NoAnswer`: there is no usable answer. Where `inDoubt` is true, a write may have taken effect, and
 *   must not be sent again unasked.
 * - `CredentialMisuse`: the credential is not for this call, or not for this origin; nothing was sent.
 * - `UnusableUrl`: the URL or the key cannot be called; nothing was sent.
 */
export interface Client {
  /**
   * GET of a row ("Storage rows"): the bytes exactly as the service holds them, a JSON object; `{}`
   * for a row that was never written.
   *
   * @param url a row's URL, such as `storage.member` of a launch
   * @throws {NoAnswer} `unusable` also where the answer is not a JSON object
   */
  getRow(url: string): Promise<Uint8Array>;

  /**
   * GET of a row, read once and with exact numbers; its `text` is the bytes as the service holds them.
   *
   * @throws {NoAnswer} as `getRow` does
   */
  readRow(url: string): Promise<ParsedObject>;

  /** The same, but bytes that are not a JSON object are returned too. */
  readStored(url: string): Promise<ParsedObject | StrayBytes>;

  /**
   * PUT of a row: replaces it wholesale. `writeRow` keeps the row as it was, and finds out what became
   * of a write without an answer; this does neither.
   *
   * @param body a JSON object in UTF-8
   */
  putRow(url: string, body: Uint8Array): Promise<void>;

  /**
   * PATCH of a row ("PATCH rules"): changes what the patch names, at once or not at all.
   *
   * @param body `{ "patch": [ … ] }`, a JSON Patch (RFC 6902), in UTF-8
   */
  patchRow(url: string, body: Uint8Array): Promise<void>;

  /**
   * The listing of a file set ("Files of a row"), with the answer's bytes, but for secrets.
   *
   * @param filesUrl a file set's URL, such as `files.member` of a launch
   */
  listFiles(filesUrl: string): Promise<{ items: FileItem[]; bytes: Uint8Array }>;

  /**
   * The record of one file, with the answer's bytes, but for secrets. Its `url` is signed, and valid
   * until `expires` (milliseconds since the epoch), a few minutes ahead.
   *
   * @throws {Refusal} 404 where there is no file under the key
   */
  fileRecord(filesUrl: string, key: string): Promise<{ record: FileRecord; bytes: Uint8Array }>;

  /**
   * Declares a file, and returns the signed form that its bytes are posted with ("Upload sequence").
   * `uploadFiles` does all of it, checks included.
   *
   * @throws {Refusal} 422 where the file does not fit the quota of the row
   */
  declareFile(filesUrl: string, key: string, body: DeclarationBody): Promise<SignedForm>;

  /** Posts the bytes of a file with its signed form, to another origin, and without the credential. */
  uploadFile(form: SignedForm, file: UploadSource): Promise<void>;

  /**
   * Reads a file from the signed URL of its record, on another origin, and without the credential.
   *
   * @throws {NoAnswer} also unless exactly `sink.length` bytes came
   */
  downloadFile(url: string, sink: Sink): Promise<void>;

  /** DELETE of a file; a key without a file is no error to the service. */
  deleteFile(filesUrl: string, key: string): Promise<void>;

  /**
   * Submits one grade ("Grade submission"). Every call is a new attempt, published anew, and the
   * answer is the only record of it that there will ever be: `attempt` keeps it in a ledger.
   *
   * @param url `grade.submit` of a launch; for another student see `gradeUrlFor`
   * @param body such as `{ "score": 0.85, "max_score": 50 }` in UTF-8; `score` is from 0 to 1
   */
  submitGrade(url: string, body: Uint8Array): Promise<RecordedAttempt>;

  /** The finish call: tells the service that a course level is ready (`provision` of a launch). */
  finishProvision(url: string): Promise<void>;

  /** Drops the connections of the client's own transport; one that was given stays open. */
  close(): Promise<void>;
}
