import {
  gradeUrlShape,
  isHeaderText,
  launchOrigin,
  originOf,
  readLaunch,
} from '../contract/index.ts';
import type { Claims } from '../contract/index.ts';
import type { ClientCall } from './call.ts';
import { type Caller, callerText, CredentialMisuse } from './errors.ts';

/** A bearer secret and its origin, the only one that it is sent to ("Authentication"). */
export interface Credential extends Caller {
  readonly secret: string;
}

/**
 * The credential of a launch: its `api.token`, and the origin of its service.
 *
 * @throws {CredentialMisuse} `missing`: the claims have no token, or no usable origin
 * @example
 * const client = createClient(credentialOf(claims));
 */
export function credentialOf(claims: Claims): Credential {
  const launch = readLaunch(claims);
  const origin = launchOrigin(launch);
  if (launch.token === undefined) {
    throw new CredentialMisuse('missing', 'the claims have no api.token', 'launch again');
  }
  if (origin === undefined) {
    throw new CredentialMisuse(
      'missing',
      'the origin of the service is unknown: the claims have no iss',
      'create a credential with the origin of the service',
    );
  }
  return { kind: 'launch_token', secret: launch.token, origin };
}

/**
 * Checks a credential, and normalises its origin.
 *
 * @throws {CredentialMisuse} `malformed`: not valid in a header, or the origin is not a URL
 */
export function checkedCredential(credential: Credential): Credential {
  const { kind, secret, name } = credential;
  const origin = originOf(credential.origin);
  if (!isHeaderText(secret)) {
    throw new CredentialMisuse(
      'malformed',
      'the credential is empty, or has characters that are not valid in a header',
      'remove spaces and line breaks around it',
    );
  }
  if (origin !== undefined) return { kind, secret, origin, name };
  throw new CredentialMisuse(
    'malformed',
    'the origin of the credential is not a URL',
    'use the form https://service.example',
  );
}

/**
 * Checks that the credential may be sent with a call: "the API key authorizes grade submission only",
 * under `/contexts/`, and no credential is sent to another origin. Throws `CredentialMisuse`.
 */
export function checkCredentialUse(
  credential: Credential,
  request: Pick<ClientCall, 'area' | 'url'>,
): void {
  const origin = originOf(request.url);
  // An address that cannot be called is refused with its fault before anything is sent.
  if (origin === undefined) return;
  if (origin !== credential.origin) {
    throw otherOrigin(
      credential,
      origin,
      credential.kind === 'api_key'
        ? `use a key that was saved with --origin ${origin}, or a launch of ${credential.origin}`
        : 'check the launch: its URLs must be on the origin of its iss',
    );
  }
  if (credential.kind !== 'api_key') return;
  if (request.area !== 'grade') {
    throw new CredentialMisuse(
      'wrong_kind',
      'the tool API key submits grades only; it is not accepted for rows, files or provisioning',
      'use the token of a launch',
    );
  }
  if (gradeUrlShape(request.url) !== 'contexts') {
    throw new CredentialMisuse(
      'wrong_kind',
      'the tool API key is accepted only for grade URLs under /contexts/',
      'use the token of this launch, or a launch whose grade.submit is under /contexts/',
    );
  }
}

/** The error for a credential that must not be sent to `origin`. */
export function otherOrigin(
  { kind, origin: own, name }: Caller,
  origin: string,
  hint: string,
): CredentialMisuse {
  const caller = { kind, origin: own, name };
  const subject = callerText(caller) ?? 'the credential';
  const message = `${subject} belongs to ${own} and is not sent to ${origin}`;
  return new CredentialMisuse('other_origin', message, hint, caller);
}
