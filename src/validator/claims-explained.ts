import {
  type Claims,
  HIDDEN,
  isObject,
  kindOfLaunch,
  namesOf,
  readLaunch,
} from '../contract/index.ts';
import { compactJson, fromNative } from '../json/index.ts';
import { CLAIM_GROUPS, type ClaimGroup } from './launch/claims-table.ts';
import { CLAIM_OBJECTS, explainClaim } from './launch/known-claims.ts';

export type { ClaimGroup } from './launch/claims-table.ts';

/** One claim, explained. */
export interface ClaimEntry {
  /** For example `api.token`. */
  readonly path: string;
  /** A text unchanged, anything else as compact JSON; secrets are hidden by default. */
  readonly value: string;
  readonly meaning: string;
  /** Whether the contract names it. */
  readonly known: boolean;
  readonly secret: boolean;
}

export interface ExplainedClaims {
  readonly group: ClaimGroup;
  readonly entries: readonly ClaimEntry[];
}

export interface ExplainOptions {
  readonly showSecrets?: boolean | undefined;
  /** Milliseconds since the epoch. */
  readonly now?: number | undefined;
}

/**
 * Explains a launch claim by claim ("Launch claims referred to in this interface"): who, where,
 * what may be called, until when, which version; a group without claims is left out.
 */
export function explainClaims(claims: Claims, options: ExplainOptions = {}): ExplainedClaims[] {
  const launch = readLaunch(claims);
  const explaining = { launch, kind: kindOfLaunch(launch), now: options.now };
  const explained = leavesOf(claims).map(({ path, value }) => {
    const { group, meaning, known } = explainClaim(path, explaining);
    const whole = valueText(value);
    const masked = valueText(maskClaim(path, value));
    const shown = options.showSecrets ? whole : masked;
    return { group, entry: { path, value: shown, meaning, known, secret: masked !== whole } };
  });
  return CLAIM_GROUPS.map((group) => ({
    group,
    entries: explained.filter((each) => each.group === group).map(({ entry }) => entry),
  })).filter(({ entries }) => entries.length > 0);
}

interface Leaf {
  readonly path: string;
  readonly value: unknown;
}

function leavesOf(claims: Claims): Leaf[] {
  return Object.entries(claims).flatMap(([name, value]): Leaf[] => {
    const isOpened = CLAIM_OBJECTS.includes(name) && namesOf(value).length > 0;
    if (!isOpened) return [{ path: name, value }];
    return Object.entries(value as Claims).map(([inner, each]) => ({
      path: `${name}.${inner}`,
      value: each,
    }));
  });
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  // 1e400 is Infinity by now, which JSON cannot express.
  if (typeof value === 'number') return String(value);
  try {
    return compactJson(fromNative(value));
  } catch {
    return '(cannot be shown)';
  }
}

const SECRET_NAME = /token|secret|password|passwd|api_?key|signature|jwt|authorization|cookie/i;
/** A signed token anywhere in a text, at the start of a word: its header is base64 of `{"…`. */
const SIGNED_TOKEN = /(?<![\w-])ey[\w-]{8,}\.[\w-]{2,}\.[\w-]*/g;
/** The user name and password of a URL, wherever it is in a text. */
const USER_INFO = /(:\/\/)[^/?#\s]*@/g;
const ADDRESS = /^https?:\/\//i;
/** In addition to the names of secrets: a parameter that signs an address, or is a ticket. */
const SECRET_PARAMETER = /sig|key|code|auth|hash|hmac|cred|policy|nonce|ticket|session|^x-|^.$/i;
/** Words and small numbers, such as `essay` or `biology-101`. */
const PLAIN_VALUE = /^(?=.{1,32}$)(?:[a-z]{1,12}|\d{1,6})(?:[-_.](?:[a-z]{1,12}|\d{1,6}))*$/i;
const PLAIN_NAME = /^[\w.-]{1,32}$/;
const TOO_DEEP = '(nested too deep to show)';
const MAX_LEVELS = 32;

/**
 * A copy of the claims without readable credentials: the token of the launch, anything with the
 * name or form of one, possible signatures in the queries of addresses, and their user names and
 * passwords.
 */
export function maskClaims(claims: Claims): Claims {
  return Object.fromEntries(
    Object.entries(claims).map(([name, value]) => [
      name,
      name === 'api' ? maskApi(value) : maskValue(value, name),
    ]),
  );
}

/** The same for one claim, given by its path such as `api.token`. */
function maskClaim(path: string, value: unknown): unknown {
  const [outer = '', inner] = path.split(/\.(.*)/s);
  if (outer !== 'api') return maskValue(value, inner ?? outer);
  return inner === undefined ? maskApi(value) : maskApiMember(inner, value);
}

function maskApi(api: unknown): unknown {
  if (!isObject(api)) return maskTexts(api);
  return Object.fromEntries(
    Object.entries(api).map(([name, value]) => [name, maskApiMember(name, value)]),
  );
}

const PLAIN_API_CLAIMS = ['expires', 'idle'];

/** Besides the token: a claim that the contract does not name is probably a token too. */
function maskApiMember(name: string, value: unknown): unknown {
  return PLAIN_API_CLAIMS.includes(name) ? maskValue(value, name) : maskTexts(value);
}

function maskTexts(value: unknown): unknown {
  return typeof value === 'string' || typeof value === 'object' ? hidden(value) : value;
}

function maskValue(value: unknown, name: string, levels = MAX_LEVELS): unknown {
  if (SECRET_NAME.test(name)) return hidden(value);
  if (typeof value === 'string') return maskText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return TOO_DEEP;
  if (Array.isArray(value)) return value.map((each) => maskValue(each, '', levels - 1));
  // fromEntries defines properties, while assigning to __proto__ would change the prototype.
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, maskValue(each, key, levels - 1)]),
  );
}

/** Shows only that there is a credential, and its length. */
function hidden(value: unknown): unknown {
  if (value === null || value === '' || typeof value === 'boolean') return value;
  return typeof value === 'string' ? `(hidden, ${value.length} characters)` : HIDDEN;
}

function maskText(text: string): string {
  return (ADDRESS.test(text) ? maskQuery(text) : text)
    .replace(USER_INFO, '$1…@')
    .replace(SIGNED_TOKEN, (token) => `(hidden, ${token.length} characters)`);
}

/** An address in which possible secrets are hidden: `…/row?tool=essay&sig=(hidden)`. */
function maskQuery(address: string): string {
  const [, head = '', query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(address) ?? [];
  const parameters = query?.split('&').map(maskParameter).join('&');
  return [
    head,
    parameters === undefined ? '' : `?${parameters}`,
    fragment === undefined ? '' : `#${fragment && HIDDEN}`,
  ].join('');
}

function maskParameter(parameter: string): string {
  const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(parameter) ?? [];
  if (parameter === '') return '';
  // Without a value, the name may be the secret.
  if (value === undefined || !PLAIN_NAME.test(name)) return HIDDEN;
  const isSecret =
    SECRET_NAME.test(name) || SECRET_PARAMETER.test(name) || !PLAIN_VALUE.test(value);
  return `${name}=${isSecret && value !== '' ? HIDDEN : value}`;
}
