import type { Client } from '../../client/index.ts';
import { InvalidError } from '../../errors.ts';
import { maskSecrets } from '../arguments/secrets.ts';
import { CredentialError } from '../errors.ts';
import type { Context } from '../runtime.ts';
import { clientFor } from './client.ts';
import { apiKeyFor, tokenFor, type UsedCredential } from './credential.ts';
import { findLaunch, type UsedLaunch } from './launch.ts';
import { isGiven } from './precedence.ts';

/**
 * Finds the launch, the URL, the credential and the client of a call, by `PRECEDENCE`; nothing is sent. An error
 * about one of them names the variable or the project file that it comes from.
 *
 * @throws {CredentialError} for no launch, no token, or an API key where `noKey` says why it is refused
 * @throws {InvalidError} `policy.read`, if the policy refuses what the command would change
 */
export async function resolveCall(
  context: Context,
  asked: {
    /** The launch, if it is known already. */
    readonly used?: UsedLaunch;
    /** The URL that a flag or an argument gives. */
    readonly url?: string | undefined;
    /** The URL of the launch, if none is given. */
    readonly claim: (used: UsedLaunch | undefined) => string | Promise<string>;
    readonly noKey?: string;
  },
) {
  const { noKey } = asked;
  if (noKey !== undefined) refuseApiKey(context, noKey);
  const used = asked.used ?? (await findLaunch(context));
  const url = asked.url ?? (await asked.claim(used));
  const key = noKey === undefined ? await apiKeyFor(context, used, url) : undefined;
  const credential = key ?? tokenFor(context, used, url);
  const client = (transport?: Parameters<typeof clientFor>[2]): Promise<Client> =>
    clientFor(context, credential, transport);
  await checkPolicy(context, credential, client);
  return { url, credential, used, client };
}

/**
 * Refuses a tool API key where the service would: "The API key authorizes grade submission only". A
 * key in the environment is preferred to a saved launch, but not to a launch that is given
 * explicitly.
 */
function refuseApiKey(context: Context, instead: string): void {
  const { apiKey } = context.options;
  const refused = `the tool API key can only submit grades; ${instead}`;
  if (apiKey !== undefined) {
    const isSecret = maskSecrets(apiKey) !== apiKey;
    const note = isSecret ? '; secrets are not accepted as arguments' : '';
    throw new CredentialError(refused, `use --launch instead of --api-key${note}`);
  }
  const isLaunchGiven = isGiven(context, 'launch') || isGiven(context, 'token');
  if (!isGiven(context, 'key') || isLaunchGiven) return;
  throw new CredentialError(refused, 'give the launch with --launch, or unset LECTERN_API_KEY');
}

/** A change that the policy refuses is allowed at an emulator of this machine. */
async function checkPolicy(
  { onlyEmulator, policy }: Context,
  { origin }: UsedCredential,
  client: () => Promise<Client>,
): Promise<void> {
  if (!onlyEmulator || (await (await client()).mayWrite())) return;
  const message = `${policy.source} refuses every change at ${origin}; nothing was sent`;
  const hint = 'see what would be sent with --dry-run; lectern doctor shows the policy';
  throw new InvalidError(message, { code: 'policy.read', hint });
}
