import type { CallEvent, Client, Credential } from '../client/index.ts';
import {
  addressesOf,
  claimsFromText,
  isHeaderText,
  isLoopback,
  kindOf,
  type Launch,
  launchOrigin,
  originOf,
  readLaunch,
  ROW_NAMES,
  type RowKind,
  type RowName,
  splitUrl,
} from '../contract/index.ts';
import { MOST_OF_A_LAUNCH, wholeUpTo } from './bounded.ts';
import { CredentialError, InvalidError, UsageError } from './errors.ts';
import { isName } from './names.ts';
import { refuseSecret } from './secret-arguments.ts';
import { nearest } from './nearest.ts';
import { escapeText } from './output/escape.ts';
import type { GlobalOptions, LaunchRef, Runtime, SavedLaunch } from './runtime.ts';
import { noteOutcomes, warnOfEnded } from './sightings.ts';

/** The launch that a command works with, and the origin that its token may be sent to. */
export interface UsedLaunch {
  /** The saved name, or the file. */
  readonly name: string;
  readonly launch: Launch;
  readonly origin: string | undefined;
  /** Where it is kept by name: what is seen of its token is remembered. */
  readonly saved?: LaunchRef;
  /** Named on the command line or in the environment, not just the current one. */
  readonly explicit: boolean;
}

const DEFAULT_TIMEOUT_SECONDS = 60;

/** Finds the launch to use: flag, environment, the one chosen with `launch use`; undefined for none. */
export async function findLaunch(
  runtime: Runtime,
  options: GlobalOptions,
): Promise<UsedLaunch | undefined> {
  const named = options.launch ?? (runtime.env.LECTERN_LAUNCH || undefined);
  if (named !== undefined) return { ...(await launchNamed(runtime, named)), explicit: true };
  const current = (await runtime.settings()).get('currentLaunch');
  if (current === undefined) return undefined;
  const saved = await (await runtime.launches()).get(current);
  return saved ? { ...fromSaved(saved), explicit: false } : undefined;
}

/** The launch of a saved name or in a file. A name that is neither is a usage error. */
export async function launchNamed(
  runtime: Runtime,
  named: string,
): Promise<Omit<UsedLaunch, 'explicit'>> {
  const store = await runtime.launches();
  if (isName(named)) {
    const saved = await store.get(named);
    if (saved) return fromSaved(saved);
  }
  const disk = await runtime.disk();
  if (await disk.exists(named)) {
    const bytes = await wholeUpTo(MOST_OF_A_LAUNCH, disk.pieces(named), named);
    return fromText(named, new TextDecoder().decode(bytes));
  }
  // What is neither may be a secret that was pasted in its place, which is not repeated.
  refuseSecret(named);
  const names = await store.names();
  throw new UsageError(
    `no saved launch and no file is called ${JSON.stringify(named)}`,
    names.length === 0 ? 'save one: lectern launch save NAME FILE' : nearest(named, names),
  );
}

/** Reads a launch out of a text, or refuses it with the reason. */
export function fromText(source: string, text: string): Omit<UsedLaunch, 'explicit'> {
  const read = claimsFromText(text);
  if ('fault' in read) {
    throw new InvalidError(`${source} is no launch: ${read.fault}`, {
      code: 'launch.unreadable',
      hint: 'give the claims as JSON, or a header.payload.signature token',
    });
  }
  const launch = readLaunch(read.claims);
  return { name: source, launch, origin: launchOrigin(launch) };
}

function fromSaved(saved: SavedLaunch): Omit<UsedLaunch, 'explicit'> {
  const launch = readLaunch(saved.claims);
  return { name: saved.name, launch, origin: saved.origin ?? launchOrigin(launch), saved };
}

/** The origin of a service's base address, as a person types it: https, or http on this machine. */
export function serviceOrigin(address: string): string {
  const origin = originOf(address.trim());
  if (origin !== undefined && (origin.startsWith('https:') || isLoopback(origin))) return origin;
  throw new UsageError(
    // It may hold a password.
    'that is no base address of a service',
    'give it as https://host; plain http is for an emulator on this machine',
  );
}

/** A row or file set to call: by its claim's name, or as an opaque URL. */
export interface RowTarget {
  /** The claim's name; undefined for a URL that the launch does not name. */
  readonly name: RowName | undefined;
  /** Whose limits hold; undefined where nothing tells the kind. */
  readonly kind: RowKind | undefined;
  /** For messages: the name, or the URL without its query. */
  readonly label: string;
  readonly url: string;
  readonly client: Client;
  /** One that only a second interrupt stops. */
  readonly drainingClient: () => Promise<Client>;
}

/**
 * Resolves ROW of a `storage` or `files` command: a row's name, a full URL, or `--url`. Refuses the
 * API key ("it is not accepted" there) with nothing sent.
 */
export async function rowTarget(
  runtime: Runtime,
  options: GlobalOptions,
  area: 'storage' | 'files',
  row: string | undefined,
  transport?: { connections?: number },
): Promise<RowTarget> {
  refuseApiKey(options, 'rows and files take the token of a launch');
  const address = options.url ?? (row !== undefined && isUrl(row) ? row : undefined);
  const name = row === undefined || isUrl(row) ? undefined : rowName(row);
  if (address === undefined && name === undefined) {
    throw new UsageError('which row?', `one of ${ROW_NAMES.join(', ')}, or --url URL`);
  }
  const used = await findLaunch(runtime, options);
  const url = address ?? claimedUrl(used, area, name as RowName);
  const known = name ?? (used ? nameOf(used.launch[area], url) : undefined);
  const bearer = tokenFor(runtime, used, url);
  return {
    name: known,
    kind: known === undefined ? undefined : kindOf(known),
    label: known ?? url.replace(/[?#].*$/s, ''),
    url,
    client: await clientFor(runtime, options, bearer, transport),
    drainingClient: () => clientFor(runtime, options, bearer, { drains: true }),
  };
}

/** Refuses `--api-key` where the service would: "The API key authorizes grade submission only". */
export function refuseApiKey(options: GlobalOptions, instead: string): void {
  if (options.apiKey === undefined) return;
  throw new CredentialError(
    `the tool API key submits grades only; ${instead}`,
    'leave --api-key out and give a launch; the key itself is never an argument',
  );
}

/** Splits positional arguments: with `--url` the row may be left out. */
export function rowAndRest(
  options: GlobalOptions,
  args: readonly (string | undefined)[],
): [row: string | undefined, ...rest: (string | undefined)[]] {
  const [first, ...rest] = args;
  const namesRow = first !== undefined && isRow(first);
  if (options.url !== undefined && !namesRow) return [undefined, ...args];
  return [first, ...rest];
}

/** Whether an argument is a URL, and so no name. */
export function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** Whether an argument is a row: by its name, or as a URL. */
export function isRow(text: string): boolean {
  return isUrl(text) || isRowName(text);
}

function isRowName(text: string): text is RowName {
  return (ROW_NAMES as readonly string[]).includes(text);
}

/** Reads a row's name; an unknown one is a usage error with the nearest known one. */
export function rowName(text: string): RowName {
  if (isRowName(text)) return text;
  throw new UsageError(`unknown row ${JSON.stringify(text)}`, nearest(text, ROW_NAMES));
}

function nameOf(urls: Launch['storage'], url: string): RowName | undefined {
  return ROW_NAMES.find((name) => urls[name] === url);
}

function claimedUrl(
  used: UsedLaunch | undefined,
  area: 'storage' | 'files',
  name: RowName,
): string {
  const launch = needLaunch(used);
  const url = launch.launch[area][name];
  if (url !== undefined) return url;
  const parent = name.startsWith('parent_');
  throw new InvalidError(`the launch ${launch.name} has no ${area}.${name}`, {
    code: 'launch.claim_missing',
    hint: parent
      ? 'only a provision request for a copied course carries the parent rows'
      : 'lectern launch decode shows what it carries',
  });
}

/** The launch, or the error that there is none. */
export function needLaunch(used: UsedLaunch | undefined): UsedLaunch {
  if (used) return used;
  throw new CredentialError(
    'no launch is given, and none is chosen',
    'give --launch NAME or FILE, set LECTERN_LAUNCH, or choose one: lectern launch use NAME',
  );
}

/** A credential that knows the saved launch it came from, if it did. */
export interface UsedCredential extends Credential {
  readonly launch?: LaunchRef;
}

/** The token to call `url` with: of the environment, else of the launch. */
export function tokenFor(
  runtime: Runtime,
  used: UsedLaunch | undefined,
  url: string,
): UsedCredential {
  const fromEnv = runtime.env.LECTERN_TOKEN || undefined;
  const secret = fromEnv ?? needLaunch(used).launch.token;
  if (secret === undefined) {
    throw new CredentialError(
      `the launch ${used?.name} has no api.token`,
      'launch again, or set LECTERN_TOKEN',
    );
  }
  const isClaimed = used && addressesOf(used.launch).some((each) => each.url === url);
  // A token of the environment belongs to the launch it stands in for, unless the URL was typed too.
  const isTyped = fromEnv !== undefined && !used?.explicit && !isClaimed;
  if (!isTyped && used && used.origin === undefined) refuseUnknownService(used, url);
  const bound = (isTyped ? undefined : used?.origin) ?? originOf(url);
  const found = credential('launch_token', secret, bound, url);
  return fromEnv === undefined && used?.saved ? { ...found, launch: used.saved } : found;
}

/** A launch that does not tell its service, and yet names several, gets its token sent to none. */
function refuseUnknownService({ name, launch }: UsedLaunch, url: string): void {
  if (addressesOf(launch).length === 0 || originOf(url) === undefined) return;
  throw new CredentialError(
    `which service the launch ${name} belongs to cannot be told: it has no iss, and addresses on several origins`,
    'save it on a terminal, which asks, or take a fresh launch',
  );
}

function credential(
  kind: Credential['kind'],
  secret: string,
  origin: string | undefined,
  url: string,
): Credential {
  const trimmed = secret.trim();
  if (!isHeaderText(trimmed)) {
    throw new CredentialError('the credential holds characters that no header can carry');
  }
  if (origin === undefined) {
    const split = splitUrl(url);
    const fault = 'fault' in split ? split.fault : 'it has no origin';
    throw new InvalidError(
      `${escapeText(url.replace(/[?#].*$/s, ''))} cannot be called: ${fault}`,
      {
        code: 'url.unusable',
      },
    );
  }
  return { kind, secret: trimmed, origin };
}

/** The tool API key to use, if one is asked for: by flag, else of the environment; else undefined. */
export async function apiKeyFor(
  runtime: Runtime,
  options: GlobalOptions,
  used: UsedLaunch | undefined,
  url: string,
): Promise<Credential | undefined> {
  if (options.apiKey !== undefined) {
    refuseSecret(options.apiKey);
    const store = await runtime.keys();
    const saved = isName(options.apiKey) ? await store.get(options.apiKey) : undefined;
    if (saved) return credential('api_key', saved.secret, saved.origin, url);
    const names = await store.names();
    // What was typed might be the key itself, so it is not repeated.
    throw new UsageError(
      'no API key is saved under that name',
      `${names.length === 0 ? '' : `${nearest(options.apiKey, names)} `}the key itself is never an argument: save it with lectern key save NAME --origin URL, or set LECTERN_API_KEY`,
    );
  }
  const secret = runtime.env.LECTERN_API_KEY || undefined;
  if (secret === undefined) return undefined;
  // With a URL alone the key goes where the user says; out of a launch, only to its own service.
  const bound = options.url !== undefined && !used?.explicit ? originOf(url) : used?.origin;
  return credential('api_key', secret, bound ?? originOf(url), url);
}

/**
 * A client for one command, with its deadline, its interrupt and `--verbose`. `drains`: what has been
 * sent is waited for at the first interrupt, and given up at the second.
 */
export async function clientFor(
  runtime: Runtime,
  options: GlobalOptions,
  bearer: UsedCredential,
  transport: { connections?: number; drains?: boolean } = {},
): Promise<Client> {
  const { createClient } = await import('../client/index.ts');
  await warnOfEnded(runtime, options, bearer.launch);
  const observers = [
    await noteOutcomes(runtime, bearer.launch),
    options.verbose ? showCalls(runtime) : undefined,
  ].filter((each) => each !== undefined);
  return createClient(
    {
      transport: await runtime.transport(transport),
      now: runtime.now,
      after: runtime.after,
      timeoutMs: (options.timeout ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
      signal: transport.drains ? runtime.secondInterrupt() : runtime.interrupt,
      ...(observers.length > 0
        ? { observe: (event) => observers.forEach((observe) => observe(event)) }
        : {}),
    },
    bearer,
  );
}

function showCalls(runtime: Runtime) {
  return ({ method, url, outcome, ms }: CallEvent): void =>
    void runtime.stderr.write(`${escapeText(`${method} ${url} -> ${outcome} (${ms} ms)`)}\n`);
}
