import { type Credential, otherOrigin, UnusableUrl } from '../../client/index.ts';
import { addressesOf, gradeUrlShape, originOf, shownUrl, splitUrl } from '../../contract/index.ts';
import { isName } from '../arguments/names.ts';
import { nearest } from '../../contract/nearest.ts';
import { maskSecrets, refuseSecret } from '../arguments/secrets.ts';
import { CredentialError } from '../errors.ts';
import { UsageError } from '../../errors.ts';
import { escapeText } from '../output/escape.ts';
import type { Runtime, Context } from '../runtime.ts';
import type { LaunchRef } from '../saved.ts';
import { requireLaunch, type UsedLaunch } from './launch.ts';
import { trimmedSecret } from './environment.ts';

/**
 * Refuses a tool API key where the service would: "The API key authorizes grade submission only". A
 * key in the environment is preferred to a saved launch, but not to a launch that is given
 * explicitly.
 */
export function refuseApiKey(context: Context, instead: string): void {
  const { env } = context;
  const { options } = context;
  const refused = `the tool API key can only submit grades; ${instead}`;
  if (options.apiKey !== undefined) {
    const isSecret = maskSecrets(options.apiKey) !== options.apiKey;
    const note = isSecret ? '; secrets are not accepted as arguments' : '';
    throw new CredentialError(refused, `use --launch instead of --api-key${note}`);
  }
  const isLaunchGiven = options.launch ?? (env.LECTERN_LAUNCH || env.LECTERN_TOKEN);
  if (!env.LECTERN_API_KEY || isLaunchGiven) return;
  throw new CredentialError(refused, 'give the launch with --launch, or unset LECTERN_API_KEY');
}

export interface UsedCredential extends Credential {
  readonly launch?: LaunchRef;
}

/** The token for calls to `url`: from the environment, else from the launch. */
export function tokenFor(
  runtime: Runtime,
  used: UsedLaunch | undefined,
  url: string,
): UsedCredential {
  const fromEnv = runtime.env.LECTERN_TOKEN || undefined;
  if (fromEnv !== undefined) runtime.sources.credential = 'LECTERN_TOKEN';
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
  given: Omit<Credential, 'origin'> & { readonly origin: string | undefined },
  url: string,
  source?: string,
): Credential {
  const { secret, origin } = given;
  const trimmed = trimmedSecret(secret, source ?? 'the credential');
  return { ...given, secret: trimmed, origin: origin ?? originToCall(url) };
}

/** The origin of a URL; an error with the reason if it cannot be called. */
export function originToCall(url: string): string {
  const split = splitUrl(url);
  if (!('fault' in split)) return split.origin;
  throw new UnusableUrl(`${escapeText(shownUrl(url))} cannot be called: ${split.fault}`);
}

/**
 * The tool API key to use: from the flag, else the environment, else the one chosen with `key use`
 * if no launch is given; undefined for none.
 */
export async function apiKeyFor(
  context: Context,
  used: UsedLaunch | undefined,
  url: string,
): Promise<Credential | undefined> {
  const { options } = context;
  if (options.apiKey !== undefined) {
    refuseSecret(options.apiKey);
    const store = await context.keys();
    const saved = isName(options.apiKey) ? await store.get(options.apiKey) : undefined;
    if (saved) return credential({ kind: 'api_key', ...saved }, url);
    const names = await store.names();
    // The argument might be the key itself, so it is not repeated.
    throw new UsageError(
      'no API key is saved under this name',
      names.length === 0
        ? 'save one with: lectern key save NAME --origin URL'
        : nearest(options.apiKey, names),
    );
  }
  const secret = context.env.LECTERN_API_KEY || undefined;
  if (secret === undefined) return keyInUse(context, used, url);
  if (options.url === undefined) refuseLaunchOfProject(used, 'LECTERN_API_KEY');
  // With only a URL, the key goes where the user says; with a launch, only to its service.
  const bound = options.url !== undefined && !used?.explicit ? originOf(url) : used?.origin;
  context.sources.credential = 'LECTERN_API_KEY';
  const given = { kind: 'api_key', secret, origin: bound ?? originOf(url) } as const;
  return credential(given, url, 'LECTERN_API_KEY');
}

/**
 * The key chosen with `key use`, unless a launch or its token is given, or the current launch is
 * for another service or has a URL that accepts no key.
 */
async function keyInUse(
  context: Context,
  used: UsedLaunch | undefined,
  url: string,
): Promise<Credential | undefined> {
  if (used?.explicit || context.env.LECTERN_TOKEN) return undefined;
  const name = (await context.settings()).get('currentKey');
  const saved = name === undefined ? undefined : await (await context.keys()).get(name);
  if (saved === undefined) return undefined;
  const isAccepted = saved.origin === originOf(url) && gradeUrlShape(url) === 'contexts';
  if (used !== undefined && !isAccepted) return undefined;
  return credential({ kind: 'api_key', ...saved }, url);
}
