/** Calls the opaque URLs of a launch; the transport and the clock are injected. */
export { answerText } from './answer-text.ts';
export type { CallEvent, Sink } from './call.ts';
export type {
  Client,
  ClientOptions,
  DeclarationBody,
  RecordedAttempt,
  InvalidRow,
  Policy,
  SignedForm,
  UploadSource,
} from './client.ts';
export { createClient, createTransport, DEFAULT_TIMEOUT_MS } from './create-client.ts';
export { Deadline } from './deadline.ts';
export { type Credential, credentialOf, checkCredentialUse, otherOrigin } from './credential.ts';
export {
  type Caller,
  callerText,
  type CredentialFault,
  CredentialMisuse,
  doubtAbout,
  NoAnswer,
  type NoAnswerReason,
  PolicyError,
  Refusal,
  type StorageCause,
  UnusableUrl,
} from './errors.ts';
export {
  type OwnedTransport,
  type StreamedBody,
  type Transport,
  TransportError,
  type TransportOptions,
  type WireExchange,
  type WireRequest,
  type WireResponse,
} from './transport.ts';
