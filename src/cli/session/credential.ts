import { type Credential, otherOrigin, UnusableUrl } from '../../client/index.ts';
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

/** The token for calls to `url`: from the environment, else from the launch. */
export function tokenFor(
  context: Context,
  used: UsedLaunch | undefined,
  url: string,
): UsedCredential {
  const fromEnv = given(context, 'token')?.value;
  const secret = fromEnv ?? requireLaunch(used).launch.token;
  if (secret === undefined) {
    throw new CredentialError(
      `launch ${used?.name} has no api.token`,
      'get a new launch, or set LECTERN_TOKEN',
    );
  }
  const isClaimed = used !== undefined && addressesOf(used.launch).some((each) => each.url === url);
  if (fromEnv !== undefined && isClaimed) refuseLaunchOfProject(used, 'LECTERN_TOKEN');
  // A token in the environment belongs to the launch that it replaces, unless the URL was typed
  // too.
  const isTyped = fromEnv !== undefined && !used?.explicit && !isClaimed;
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
): Promise<Credential | undefined> {
  const isLaunchGiven = used?.explicit || isGiven(context, 'token');
  const choice = isLaunchGiven ? given(context, 'key') : await choose(context, 'key');
  if (choice === undefined) return undefined;
  const { value, from } = choice;
  if (from === 'variable') return keyOfEnvironment(context, value, used, url);
  const store = await context.keys();
  const saved = isName(value) ? await store.get(value) : undefined;
  if (from === 'saved') {
    const isAccepted = saved?.origin === originOf(url) && gradeUrlShape(url) === 'contexts';
    if (saved === undefined || (used !== undefined && !isAccepted)) return undefined;
  }
  if (saved) return credential({ kind: 'api_key', ...saved }, url);
  throw await unknownName(store, 'key', value);
}

/** With only a URL, the key goes where the user says; with a launch, only to its service. */
function keyOfEnvironment(
  { options }: Context,
  secret: string,
  used: UsedLaunch | undefined,
  url: string,
): Credential {
  if (options.url === undefined) refuseLaunchOfProject(used, 'LECTERN_API_KEY');
  const bound = options.url !== undefined && !used?.explicit ? undefined : used?.origin;
  return credential(
    { kind: 'api_key', secret, origin: bound ?? originOf(url) },
    url,
    'LECTERN_API_KEY',
  );
}
