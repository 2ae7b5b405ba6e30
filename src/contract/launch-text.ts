import type { Claims } from './claims.ts';
import { withPlainAddresses } from './mail.ts';
import { faultOfPaste, pastedTexts } from './pasted-launch.ts';
import { JsonDepthError, JsonSyntaxError, parseNative } from '../json/index.ts';
import { UTF16_FAULT } from './words.ts';
import { isObject } from './is-object.ts';
import { escapeToken } from '../json/pointer.ts';

/** The form of a launch: claims as JSON, or something that contains them. */
export type LaunchForm = 'json' | 'token' | 'base64' | 'url' | 'form';

export interface ClaimsText {
  readonly form: LaunchForm;
  /** The header of the compact token that contained the claims, if any. */
  readonly header?: unknown;
  readonly claims: Claims;
  /** Their JSON text, decoded, and the pointer to them in it. */
  readonly json: { readonly text: string; readonly at: string };
  /** For JSON: the same pointer, if they are below a wrapper. */
  readonly at?: string;
  /** Whether the paste has a second, different launch, which is ignored. */
  readonly hasSecond?: true;
}

type Read = ClaimsText | { fault: string };

const COMPACT_TOKEN = /^[\w-]+\.[\w-]+\.[\w-]*$/;
const ENCRYPTED_TOKEN = /^[\w-]+\.[\w-]*(\.[\w-]+){3}$/;
const BASE64 = /^[\w+/-][\w+/\s-]*={0,2}$/;
const URL_START = /^https?:\/\//i;
const FORM_BODY = /^[^\s={}"]+=\S*$/;
const BEARER = /^(?:authorization\s*:\s*)?bearer\s+/i;
/** A URL with a form with a token with claims, and no more levels. */
const MAX_WRAPPERS = 4;

/**
 * Reads a launch's claims from the text of a file: JSON, nested or under a wrapper key, a compact
 * `header.payload.signature` token, a URL or form body with either, or base64 of any; or from a
 * paste with one of these.
 */
export function claimsFromText(pasted: string): Read {
  const text = withPlainAddresses(pasted);
  const read = readText(text, MAX_WRAPPERS);
  if (!('fault' in read)) return read;
  const first = firstRead(pastedTexts(text), MAX_WRAPPERS);
  if (first !== undefined) return first;
  return { fault: UTF16_TEXT.test(text) ? UTF16_FAULT : (faultOfPaste(text) ?? read.fault) };
}

/** The start of UTF-16 that was read as UTF-8, perhaps with a byte order mark. */
const UTF16_TEXT = /^(?:\ufffd{2})?(?:[^\0]\0|\0[^\0])/;

/** Whether claims are of another launch, and not of the same one in another form. */
function isOther(claims: Claims, other: Claims): boolean {
  const { launch_id: id } = claims;
  if (id !== undefined && other.launch_id !== undefined) return id !== other.launch_id;
  const token = tokenOf(other);
  return token !== undefined && token !== tokenOf(claims);
}

function readText(text: string, carriers: number): Read {
  const trimmed = text.trim().replace(BEARER, '');
  if (trimmed === '') return { fault: 'it is empty' };
  if (COMPACT_TOKEN.test(trimmed)) return readToken(trimmed);
  if (ENCRYPTED_TOKEN.test(trimmed)) return { fault: 'it is an encrypted token' };
  if (/^[[{"]/.test(trimmed)) return readJson(trimmed, carriers);
  const carried = carriers === 0 ? undefined : readCarried(trimmed, carriers - 1);
  return carried ?? { fault: 'it is neither JSON nor a header.payload.signature token' };
}

function readJson(text: string, carriers: number): Read {
  let value: unknown;
  try {
    value = parseNative(text);
  } catch (error) {
    return { fault: faultOf(error) };
  }
  const match = findClaims(value);
  if (match) {
    const { claims, at, others } = match;
    const hasSecond = others.some((other) => isOther(claims, other));
    const read: ClaimsText = { form: 'json', claims, json: { text, at }, ...(at && { at }) };
    return hasSecond ? { ...read, hasSecond } : read;
  }
  const inside = carriers === 0 ? undefined : firstRead(stringsIn(value), carriers - 1);
  return inside ? withoutPlace(inside) : { fault: 'it contains no launch claims' };
}

/** Only the position: the parser's reason may quote the text, which contains a token. */
function faultOf(error: unknown): string {
  if (!(error instanceof JsonSyntaxError)) throw error;
  if (error instanceof JsonDepthError) return `it has ${error.reason}`;
  return `invalid JSON: syntax error at line ${error.line}, column ${error.column}`;
}

function readToken(token: string): Read {
  const [header = '', payload = ''] = token.split('.');
  try {
    const text = base64Text(payload);
    const match = findClaims(parseNative(text));
    if (!match) return { fault: 'the payload of the token contains no launch claims' };
    const { claims, at } = match;
    return { form: 'token', header: JSON.parse(base64Text(header)), claims, json: { text, at } };
  } catch (error) {
    if (error instanceof JsonDepthError) return { fault: faultOf(error) };
    return { fault: 'the parts of the token are not base64url-encoded JSON' };
  }
}

/** Decodes base64 of either alphabet; throws if it is invalid, or not UTF-8. */
function base64Text(part: string): string {
  const binary = atob(part.replace(/-/g, '+').replace(/_/g, '/'));
  return new TextDecoder('utf-8', { fatal: true }).decode(
    Uint8Array.from(binary, (character) => character.charCodeAt(0)),
  );
}

/** Claims in the parameters or the path of a URL, in a form body, or under base64. */
function readCarried(text: string, carriers: number): Read | undefined {
  const isUrl = URL_START.test(text);
  if (isUrl || FORM_BODY.test(text)) {
    const read = firstRead(parametersOf(text, isUrl), carriers);
    if (read) return { ...withoutPlace(read), form: isUrl ? 'url' : 'form' };
  }
  if (isUrl) return { fault: 'it is a URL without a launch' };
  if (!BASE64.test(text)) return undefined;
  try {
    const read = readText(base64Text(text), carriers);
    return 'fault' in read ? undefined : { ...withoutPlace(read), form: 'base64' };
  } catch {
    return undefined;
  }
}

function parametersOf(text: string, isUrl: boolean): string[] {
  const [path = '', ...rest] = isUrl ? text.split(/[?#]/) : ['', text];
  const values = rest.flatMap((part) => Array.from(new URLSearchParams(part).values()));
  const tokens = path.split('/').filter((segment) => COMPACT_TOKEN.test(segment));
  return [...values.filter(({ length }) => length >= SHORTEST_TEXT), ...tokens];
}

/** The first launch in the texts, and whether another follows. */
function firstRead(texts: Iterable<string>, carriers: number): ClaimsText | undefined {
  let first: ClaimsText | undefined;
  for (const text of texts) {
    const read = readText(text, carriers);
    if ('fault' in read) continue;
    first ??= read;
    if (read.hasSecond || isOther(first.claims, read.claims)) return { ...first, hasSecond: true };
  }
  return first;
}

/** A pointer into decoded text is meaningless in the original. */
function withoutPlace({ at: _at, ...read }: ClaimsText): ClaimsText {
  return read;
}

/** Names that indicate claims in an object. */
const CLAIM_NAMES = ['api', 'storage', 'files', 'grade', 'user', 'provision', 'iss', 'launch_id'];
/** Further claims that are written with a dot. */
const DOTTED = [...CLAIM_NAMES, 'location', 'organization'];
/** An event of an error tracker, or a file of recorded requests, has lists within objects. */
const MAX_WRAPPER_LEVELS = 10;

interface ClaimsPlace {
  readonly claims: Claims;
  readonly at: string;
}

interface Found extends ClaimsPlace {
  /** The claims of other objects with another token, outside the found ones. */
  readonly others: readonly Claims[];
}

/**
 * Finds the claims in a value: itself, or under a wrapper key some levels down. The object with the
 * most claim names is taken, so that a wrapper with its own `user` is skipped.
 */
function findClaims(root: unknown): Found | undefined {
  let best: (ClaimsPlace & { count: number }) | undefined;
  const launches: ClaimsPlace[] = [];
  let level: { value: unknown; at: string }[] = [{ value: root, at: '' }];
  for (let depth = 0; depth <= MAX_WRAPPER_LEVELS; depth++) {
    const below: typeof level = [];
    for (const { value, at } of level) {
      for (const [name, inner] of membersOf(value)) {
        below.push({ value: inner, at: `${at}/${escapeToken(name)}` });
      }
      if (!isObject(value)) continue;
      const claims = expandDottedNames(value);
      const count = CLAIM_NAMES.filter((name) => Object.hasOwn(claims, name)).length;
      if (count > (best?.count ?? 0)) best = { claims, at, count };
      if (tokenOf(claims) !== undefined) launches.push({ claims, at });
    }
    level = below;
  }
  if (best === undefined) return undefined;
  const { claims, at } = best;
  const isApart = (other: ClaimsPlace): boolean =>
    !`${at}/`.startsWith(`${other.at}/`) && !`${other.at}/`.startsWith(`${at}/`);
  return { claims, at, others: launches.filter(isApart).map((other) => other.claims) };
}

function tokenOf({ api }: Claims): unknown {
  return isObject(api) ? api.token : undefined;
}

/** A shorter text has no launch. */
const SHORTEST_TEXT = 20;

/** The texts in the first levels of nested objects; one may be a token. */
function stringsIn(value: unknown, levels = MAX_WRAPPER_LEVELS): string[] {
  if (typeof value === 'string') return value.length < SHORTEST_TEXT ? [] : [value];
  if (levels === 0) return [];
  return membersOf(value).flatMap(([, inner]) => stringsIn(inner, levels - 1));
}

function membersOf(value: unknown): [name: string, inner: unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/** Some write `"api.token": …` like the documentation; it is read like the nested form. */
function expandDottedNames(object: Claims): Claims {
  const dotted = Object.keys(object).filter((name) => /^[a-z_]+\.[a-z_]+$/.test(name));
  if (dotted.length === 0) return object;
  const expanded: Record<string, unknown> = { ...object };
  for (const name of dotted) {
    const [outer = '', inner = ''] = name.split('.');
    if (!DOTTED.includes(outer)) continue;
    const before = expanded[outer];
    expanded[outer] = { ...(isObject(before) ? before : {}), [inner]: object[name] };
    delete expanded[name];
  }
  return expanded;
}
