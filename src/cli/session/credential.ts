import { type Credential, CredentialMisuse, otherOrigin, UnusableUrl } from '../../client/index.ts';
import { addressesOf, gradeUrlShape, originOf, shownUrl, splitUrl } from '../../contract/index.ts';
import { isName, unknownName } from '../arguments/names.ts';
import { trimmedSecret } from '../arguments/secrets.ts';
import { CredentialError } from '../errors.ts';
import { escapeText } from '../../contract/escape.ts';
import type { Context } from '../runtime.ts';
import type { LaunchRef } from '../stores.ts';
import { requireLaunch, type UsedLaunch } from './launch.ts';
import { choose, given, isGiven } from './precedence.ts';

export interface UsedCredential extends Credential {
  readonly launch?: LaunchRef;
}

/**
 * Who chose the URL of a call: the claim of a launch, the user, or another machine that planned the run. Only
 * a URL of the user decides where a secret of the environment is sent, beside a launch that is not given.
 */
export type UrlSource = 'launch' | 'user' | 'shared run' | 'imported run';

/** The token for calls to `url`: from the environment, else from the launch. */
export function tokenFor(
  context: Context,
  used: UsedLaunch | undefined,
  url: string,
  from: UrlSource = 'launch',
): UsedCredential {
  const fromEnv = given(context, 'token')?.value;
  const secret = fromEnv ?? requireLaunch(used).launch.token;
  if (secret === undefined) {
    throw new CredentialError(
      'missing',
      `launch ${used?.name} has no api.token`,
      'get a new launch, or set LECTERN_TOKEN',
    );
  }
  const isClaimed = used !== undefined && addressesOf(used.launch).some((each) => each.url === url);
  // A token in the environment belongs to the launch that it replaces, unless the URL was typed
  // too.
  const isTyped = fromEnv !== undefined && !used?.explicit && !isClaimed && from === 'user';
  if (fromEnv !== undefined && !isTyped) refuseLaunchOfProject(used, 'LECTERN_TOKEN');
  if (fromEnv !== undefined && !used) refuseImported(from, 'LECTERN_TOKEN', url);
  if (!isTyped && used && used.origin === undefined) refuseUnknownService(used, url);
  const bound = (isTyped ? undefined : used?.origin) ?? originOf(url);
  const bearer = credential(
    { kind: 'launch_token', secret, origin: bound },
    url,
    fromEnv && 'LECTERN_TOKEN',
  );
  const isUnnamed = fromEnv !== undefined || used === undefined;
  const named = isUnnamed
    ? bearer
    : { ...bearer, name: used.name, ...(used.saved && { launch: used.saved }) };
  if (!isClaimed) refuseOtherOrigin(named, url);
  return named;
}

/** A project file, which others may have written, does not choose where a secret is sent. */
function refuseLaunchOfProject(used: UsedLaunch | undefined, secret: string): void {
  if (used?.project === undefined) return;
  throw used.project.refuse(
    '/launch',
    `${secret} is not sent with a launch that only the project file names`,
    `--launch ${used.name}; to use the launch alone: unset ${secret}`,
  );
}

/** Whoever wrote the file of a run does not choose where a secret is sent. */
function refuseImported(from: UrlSource, secret: string, url: string): void {
  if (from !== 'imported run') return;
  const origin = originToCall(url);
  throw new CredentialMisuse(
    'other_origin',
    `the run was imported, and ${secret} is not sent to ${origin} only because its file names it`,
    `use a saved key or a launch of ${origin}, or pass the address of the run with --url URL`,
  );
}

/** The claims are sound where the address was given with another origin than the credential's. */
function refuseOtherOrigin(named: UsedCredential, url: string): void {
  const asked = originOf(url);
  if (asked === undefined || asked === named.origin) return;
  throw otherOrigin(
    named,
    asked,
    `the address that was given is of ${asked}: use an address of ${named.origin}, or pass a launch of ${asked} with --launch NAME`,
  );
}

/** The token of a launch that names several origins, but not its service, is sent nowhere. */
function refuseUnknownService({ name, launch }: UsedLaunch, url: string): void {
  if (addressesOf(launch).length === 0 || originOf(url) === undefined) return;
  throw new CredentialError(
    'missing',
    `cannot determine the service of launch ${name}: it has no iss, and its URLs are on several origins`,
    'save it on a terminal to be prompted for the service, or get a new launch',
  );
}

function credential(
  found: Omit<Credential, 'origin'> & { readonly origin: string | undefined },
  url: string,
  source?: string,
): Credential {
  const { secret, origin } = found;
  const trimmed = trimmedSecret(secret, source ?? 'the credential');
  return { ...found, secret: trimmed, origin: origin ?? originToCall(url) };
}

/** The origin of a URL; an error with the reason if it cannot be called. */
export function originToCall(url: string): string {
  const split = splitUrl(url);
  if (!('fault' in split)) return split.origin;
  throw new UnusableUrl(`${escapeText(shownUrl(url))} cannot be called: ${split.fault}`);
}

/**
 * The tool API key to use; undefined for none. The one chosen with `key use` gives way to a launch or
 * a token that is given, and to the current launch if that is for another service or has a URL that
 * accepts no key.
 */
export async function apiKeyFor(
  context: Context,
  used: UsedLaunch | undefined,
  url: string,
  from: UrlSource,
): Promise<Credential | undefined> {
  const isLaunchGiven = used?.explicit || isGiven(context, 'token');
  const choice = isLaunchGiven ? given(context, 'key') : await choose(context, 'key');
  if (choice === undefined) return undefined;
  const { value } = choice;
  if (choice.from === 'variable') return keyOfEnvironment(value, used, url, from);
  const store = await context.keys();
  const saved = isName(value) ? await store.get(value) : undefined;
  if (choice.from === 'saved') {
    const isAccepted = saved?.origin === originOf(url) && gradeUrlShape(url) === 'contexts';
    if (saved === undefined || (used !== undefined && !isAccepted)) return undefined;
  }
  if (saved) return credential({ kind: 'api_key', ...saved }, url);
  throw await unknownName(store, 'key', value);
}

/** With only a URL, the key goes where the user says; with a launch, only to its service. */
function keyOfEnvironment(
  secret: string,
  used: UsedLaunch | undefined,
  url: string,
  from: UrlSource,
): Credential {
  if (from !== 'user') refuseLaunchOfProject(used, 'LECTERN_API_KEY');
  const bound = from === 'user' && !used?.explicit ? undefined : used?.origin;
  if (bound === undefined) refuseImported(from, 'LECTERN_API_KEY', url);
  return credential(
    { kind: 'api_key', secret, origin: bound ?? originOf(url) },
    url,
    'LECTERN_API_KEY',
  );
}
