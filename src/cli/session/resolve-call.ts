import type { CallEvent, Client, Transport } from '../../client/index.ts';
import { kindOf, ROW_NAMES, type RowName, shownUrl } from '../../contract/index.ts';
import { escapeText } from '../../contract/escape.ts';
import { InvalidError, UsageError } from '../../errors.ts';
import { isUrl, rowAndRest, rowName } from '../arguments/rows.ts';
import { maskSecrets } from '../../contract/secrets.ts';
import { CredentialError } from '../errors.ts';
import type { Context, Runtime } from '../runtime.ts';
import type { LaunchRef } from '../stores.ts';
import { apiKeyFor, tokenFor, type UrlSource, type UsedCredential } from './credential.ts';
import { findLaunch, requireLaunch, type UsedLaunch } from './launch.ts';
import { isGiven } from './precedence.ts';

/** A row or file set: by its claim's name, or as an opaque URL. */
export type RowTarget = Awaited<ReturnType<typeof rowTarget>>;

/**
 * Resolves ROW of a `storage` or `files` command: a row's name, a full URL, or `--url`. Refuses the
 * API key ("it is not accepted" there) with nothing sent.
 */
export async function rowTarget(
  context: Context,
  area: 'storage' | 'files',
  row: string | undefined,
  transport?: { connections?: number },
) {
  const address = context.options.url ?? (row !== undefined && isUrl(row) ? row : undefined);
  const name = row === undefined || isUrl(row) ? undefined : rowName(row);
  const { url, used, client } = await resolveCall(context, {
    url: address,
    claim: (launch) => claimedUrl(launch, area, name),
    noKey: 'rows and files need the token of a launch',
  });
  const known = name ?? ROW_NAMES.find((each) => used?.launch[area][each] === url);
  return {
    /** The claim's name; undefined for a URL that the launch does not name. */
    name: known,
    /** The kind whose limits apply; undefined if unknown. */
    kind: known === undefined ? undefined : kindOf(known),
    /** For messages: the name, or the URL without its query. */
    label: known ?? shownUrl(url),
    /** For command lines in hints: the query of a URL is hidden, and without it nothing is found. */
    argument: known ?? 'URL',
    url,
    client: await client(transport),
    /** A client that only a second interrupt stops. */
    drainingClient: () => client({ drains: true }),
  };
}

/** The row that the arguments begin with, unless `--url` replaces it, and the rest of them. */
export async function rowTargetAndRest(
  context: Context,
  area: 'storage' | 'files',
  args: readonly (string | undefined)[],
): Promise<[target: RowTarget, ...rest: (string | undefined)[]]> {
  const [row, ...rest] = rowAndRest(context.options, args);
  return [await rowTarget(context, area, row), ...rest];
}

function claimedUrl(
  used: UsedLaunch | undefined,
  area: 'storage' | 'files',
  name: RowName | undefined,
): string {
  if (name === undefined) {
    throw new UsageError('no row given', `use one of ${ROW_NAMES.join(', ')}, or --url URL`);
  }
  const launch = requireLaunch(used);
  const url = launch.launch[area][name];
  if (url !== undefined) return url;
  const parent = name.startsWith('parent_');
  throw new InvalidError(`launch ${launch.name} has no ${area}.${name}`, {
    code: 'launch.claim_missing',
    hint: parent
      ? 'only the provision request of a copied course has parent rows'
      : 'lectern launch decode shows its claims',
  });
}

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
    /** Who chose that URL, if not the user. */
    readonly from?: UrlSource | undefined;
    /** The URL of the launch, if none is given. */
    readonly claim: (used: UsedLaunch | undefined) => string | Promise<string>;
    readonly noKey?: string;
  },
) {
  const { noKey } = asked;
  if (noKey !== undefined) refuseApiKey(context, noKey);
  const used = asked.used ?? (await findLaunch(context));
  const url = asked.url ?? (await asked.claim(used));
  const from = asked.url === undefined ? 'launch' : (asked.from ?? 'user');
  const key = noKey === undefined ? await apiKeyFor(context, used, url, from) : undefined;
  const credential = key ?? tokenFor(context, used, url, from);
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
    throw new CredentialError('wrong_kind', refused, `use --launch instead of --api-key${note}`);
  }
  const isLaunchGiven = isGiven(context, 'launch') || isGiven(context, 'token');
  if (!isGiven(context, 'key') || isLaunchGiven) return;
  throw new CredentialError(
    'wrong_kind',
    refused,
    'give the launch with --launch, or unset LECTERN_API_KEY',
  );
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

/**
 * A client for one command, with its deadline, its interrupt and `--verbose`. `drains`: the first
 * interrupt waits for calls in progress, the second cancels them.
 */
export async function clientFor(
  context: Context,
  bearer: UsedCredential,
  transport: { connections?: number; drains?: boolean } = {},
): Promise<Client> {
  const { options } = context;
  const { createClient } = await import('../../client/index.ts');
  const observers = [
    await trackTokenStatus(context, bearer.launch),
    options.verbose ? showCalls(context) : undefined,
  ].filter((each) => each !== undefined);
  const { timeout } = options;
  return createClient(bearer, {
    transport: asLectern(await context.transport(transport)),
    clock: context,
    policy: context.policy.value,
    timeoutMs: timeout === undefined ? undefined : timeout * 1000,
    signal: transport.drains ? context.secondInterrupt : context.interrupt,
    ...(observers.length > 0
      ? { observe: (event) => observers.forEach((observe) => observe(event)) }
      : {}),
  });
}

/** Names lectern in each call: the emulator lists these calls apart from those of a tool. */
function asLectern(transport: Transport): Transport {
  const agent = { 'user-agent': `lectern/${__VERSION__}` };
  return (request) => transport({ ...request, headers: { ...agent, ...request.headers } });
}

function showCalls(runtime: Runtime) {
  return ({ method, url, outcome, ms }: CallEvent): void =>
    void runtime.stderr.write(`${escapeText(`${method} ${url} -> ${outcome} (${ms} ms)`)}\n`);
}

/** Records whether a saved launch's token is accepted, once at the end of the command. */
async function trackTokenStatus(
  runtime: Runtime,
  launch: LaunchRef | undefined,
): Promise<((event: CallEvent) => void) | undefined> {
  if (launch === undefined) return undefined;
  const store = await runtime.tokenStatus();
  return ({ area, outcome }) => {
    // Signed addresses take no token, so their responses do not concern it.
    if (area === 'signed' || typeof outcome !== 'number') return;
    const at = new Date(runtime.now()).toISOString();
    if (outcome >= 200 && outcome < 300) store.note(launch, { success: at });
    if (outcome === 401) store.note(launch, { ended: at });
  };
}
