import { createHmac, randomBytes } from 'node:crypto';
import { isLoopback } from '../../contract/index.ts';
import { chosenBy, type Vary, varyText } from '../freedom/vary.ts';
import { Archives } from '../store/archives.ts';
import { Blobs } from '../store/blobs.ts';
import { Store } from '../store/store.ts';
import { EmulatorClock } from './clock.ts';
import { Delays, type Sleep, machineSleep } from './delays.ts';
import { FrameOrigins } from './frame-origins.ts';
import { Attempts } from './attempts.ts';
import { type Tables, tablesOf } from './records.ts';
import { Rows } from './row-table.ts';
import { Tokens } from './tokens.ts';
import { redactsOnce } from './turn-cache.ts';
import { World } from './world.ts';
import { isSecret, type Redact, redactor } from '../../redaction.ts';

/** The base URLs of the two origins, without a trailing slash. */
export interface Urls {
  readonly api: string;
  readonly blobs: string;
  /** Whether this is an origin of the API's own pages, which can have several names. */
  readonly isOwn: (origin: string) => boolean;
  /** Whether it listens beyond loopback, so that tools may be on its network. */
  readonly isOpen?: boolean;
}

/**
 * Whether the emulator is on the machine of its browsers, and not in a container or behind a proxy:
 * only then does it reach the servers that they do.
 */
export function isWithBrowser({ api, isOpen }: Urls): boolean {
  return isOpen !== true && isLoopback(api);
}

const NO_PORT: Urls = {
  api: 'http://service.test',
  blobs: 'http://blobs.test',
  isOwn: (origin) => origin === 'http://service.test',
};

/** Parts of the state; defaults are created in memory. */
export interface StateOptions {
  /** Defaults to one in memory. */
  readonly store?: Store;
  /** The machine's clock, in ms since the epoch; the emulator's clock adds an offset. */
  readonly now?: () => number;
  /** Waits for a slow LMS and for delayed responses. */
  readonly sleep?: Sleep;
  readonly random?: (bytes: number) => Uint8Array;
  /** The base URLs of launches. */
  readonly urls?: Urls;
  /** Chooses what the contract leaves open; kept with the data. */
  readonly vary?: AskedVary | undefined;
  /** What has to be redacted of another service; may grow. */
  readonly secrets?: ForeignSecrets;
}

/** The tokens of another service, and the queries of its addresses, which may be signatures. */
export interface ForeignSecrets {
  readonly tokens: string[];
  readonly queries: string[];
}

const SECRET_BYTES = 32;
const SEED_BYTES = 2;

/** All state of the emulator, and its clock and randomness. */
export type EmulatorState = Readonly<ReturnType<typeof createState>>;

const VARY = 'vary';

/** The data were made with another seed, or with none: addresses that were handed out would not work. */
export class VaryError extends Error {
  override readonly name = 'VaryError';
}

/** What an emulator is asked to vary: without a seed, it takes that of its data, or any. */
export interface AskedVary extends Omit<Vary, 'seed'> {
  readonly seed?: number;
}

/** The seed that belongs to the data; the one that is asked for if they are new. */
function keptVary({ settings, tools }: Tables, { vary, random }: StateOptions): Vary | undefined {
  const kept = settings.get(VARY)?.value as Vary | undefined;
  if (vary === undefined) return kept;
  if (tools.count() === 0) {
    const { seed = randomSeed(random), ...only } = vary;
    settings.put({ name: VARY, value: { seed, ...only } });
    return { seed, ...only };
  }
  if (kept !== undefined && (vary.seed === undefined || varyText(vary) === varyText(kept))) {
    return kept;
  }
  throw new VaryError(
    kept === undefined
      ? 'the data were made without --vary'
      : `the data were made with --vary ${varyText(kept)}`,
  );
}

function randomSeed(random: (bytes: number) => Uint8Array = randomBytes): number {
  return Buffer.from(random(SEED_BYTES)).readUInt16BE();
}

export function createState(options: StateOptions) {
  const store = options.store ?? Store.open();
  const tables = tablesOf(store);
  const random = options.random ?? randomBytes;
  const clock = new EmulatorClock(options.now ?? Date.now, tables.clock);
  const world = new World(tables);
  const blobs = new Blobs(store);
  const vary = keptVary(tables, options);
  const { chosen, choices } = chosenBy(vary);
  const attempts = new Attempts(store);
  const { tokens: foreign, queries } = options.secrets ?? { tokens: [], queries: [] };
  const redactTokens = redactorOf(world.tools, WHOLE_TOKEN, [foreign]);
  /** A text that cannot be guessed. */
  const secret = (): string => Buffer.from(random(SECRET_BYTES)).toString('base64url');
  return {
    store,
    blobs,
    clock,
    world,
    vary,
    chosen,
    choices,
    tokens: new Tokens(tables.tokens, clock, store, chosen.idle_edge),
    rows: new Rows(store, clock),
    files: tables.files,
    uploads: tables.uploads,
    attempts,
    /** Requests to tools' servers. */
    provisionCalls: tables.provisionCalls,
    locationsAnswers: tables.locationsAnswers,
    /** How the LMS behaves, by location or everywhere. */
    lms: tables.lms,
    /** The seed, and secrets: a reset keeps them. */
    settings: tables.settings,
    ports: tables.ports,
    /** The code of hosted tools, and the frames that show it. */
    hosted: {
      /** By tool and version. */
      codes: tables.codes,
      tickets: tables.tickets,
      archives: new Archives(blobs),
      origins: new FrameOrigins(tables.ports),
      /** Launches whose ended token caused the refusal of a frame's call. */
      refused: new Set<string>(),
      /** Those whose frame has seen the refusal: it gets the event. */
      noticed: new Set<string>(),
      /** Tools whose last code came from a watch: open course pages launch again by themselves. */
      watched: new Set<string>(),
    },
    timestamps: monotonicTimestamps(clock, attempts),
    urls: options.urls ?? NO_PORT,
    /** A new unique ID, of characters that need no escape in an address. */
    newId: (): string => chosen.ids(random),
    /** A new token or API key, with the prefix of its kind. */
    newToken: (prefix: string): string => prefix + chosen.tokens(random),
    secret,
    sign: signer(tables.settings, secret),
    delays: new Delays(options.sleep ?? machineSleep),
    /** Redacts tokens, as `lt_…`, API keys and signatures in requests that are shown, in any spelling. */
    redact: redactsOnce(redactorOf(world.tools, SECRET, [foreign, queries])),
    /** Whether a text contains a complete token or an API key, in any spelling. */
    hasToken: (text: string): boolean => redactTokens(text) !== text,
  };
}

const SIGNING_KEY = 'signing';

/** Signs with the key in the store, made once; an import replaces it. */
function signer(settings: Tables['settings'], secret: () => string) {
  return (text: string): string => {
    const key = settings.get(SIGNING_KEY)?.value ?? secret();
    if (!settings.has(SIGNING_KEY)) settings.put({ name: SIGNING_KEY, value: key });
    return createHmac('sha256', key as string)
      .update(text)
      .digest('base64url');
  };
}

/**
 * The timestamps of attempts: "each later attempt carries a later one", for all members together, even
 * if the clock stops or goes back, or if two attempts are made at once.
 */
function monotonicTimestamps(clock: EmulatorClock, attempts: Attempts) {
  /** The latest timestamp, even if its attempt is not recorded yet. */
  let last: number | undefined;
  return {
    /** In ms since the epoch, at least one millisecond after the previous one. */
    next: (): number => {
      last = Math.max(clock.now(), (last ?? attempts.lastSubmitted()) + 1);
      return last;
    },
    /** Continues after the attempts that are in the store now. */
    forget: (): void => {
      last = undefined;
    },
  };
}

/** Tokens and generated API keys. */
const WHOLE_TOKEN = '(?:lt|pt|key)_[\\w.~-]{42,}[\\w-]';
/**
 * The same, possibly truncated, and the parts that make a signed URL or form valid, after their
 * names.
 */
const SECRET = [
  WHOLE_TOKEN,
  '(?:lt|pt|key)_[\\w-]{16,}$',
  '(?:signature|check)=[\\w-]{16,}',
  '"[\\w[-]*(?:policy|signature)\\]?"\\s*:\\s*"[^"]+',
].join('|');
const NAME = /^(?:(?:lt|pt|key)_|\w+=|"[^"]+"\s*:\s*")/;

/** Redacts texts of a form, and the API keys of the tools, which may change. */
function redactorOf(
  tools: Tables['tools'],
  form: string,
  secrets: readonly (readonly string[])[],
): Redact {
  let redact: Redact | undefined;
  let made = -1;
  return (text) => {
    const current = secrets.reduce((sum, { length }) => sum + length, tools.changes);
    if (redact === undefined || made !== current) {
      const keys = [...tools.all().map(({ api_key: key }) => key), ...secrets.flat()];
      redact = redactor(keys.filter(isSecret), { form, shown });
      made = current;
    }
    return redact(text);
  };
}

function shown(written: string): string {
  return `${NAME.exec(written)?.[0] ?? ''}…`;
}
