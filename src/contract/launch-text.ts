import type { Claims } from './claims.ts';
import { findClaims, stringsIn, tokenOf } from './find-claims.ts';
import { faultOfPaste, pastedTexts } from './pasted-launch.ts';
import { JsonDepthError, JsonSyntaxError, parseNative } from '../json/index.ts';
import { UTF16_FAULT } from './words.ts';

/** The form of a launch: claims as JSON, or something that contains them. */
export type LaunchForm = 'json' | 'token' | 'base64' | 'url' | 'form';

/** Claims from a text. */
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
const ENCRYPTED_TOKEN = /^[\w-]+(\.[\w-]*){3}\.[\w-]+$/;
const BASE64 = /^[\w+/-][\w+/\s-]*={0,2}$/;
const URL_START = /^https?:\/\//i;
const FORM_BODY = /^[^\s={}"]+=\S*$/;
const BEARER = /^(?:authorization\s*:\s*)?bearer\s+/i;
/** A URL with a form with a token with claims, and no more levels. */
const MAX_CARRIERS = 4;

/**
 * Reads a launch's claims from the text of a file: JSON, nested or under a wrapper key, a compact
 * `header.payload.signature` token, a URL or form body with either, or base64 of any; or from a
 * paste with one of these.
 */
export function claimsFromText(text: string): Read {
  const read = readText(text, MAX_CARRIERS);
  if (!('fault' in read)) return read;
  let first: ClaimsText | undefined;
  for (const pasted of pastedTexts(text)) {
    const found = readText(pasted, MAX_CARRIERS);
    if ('fault' in found) continue;
    first ??= found;
    if (isOther(first.claims, found.claims)) return { ...first, hasSecond: true };
  }
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
  const found = findClaims(value);
  if (found) {
    const { claims, at, others } = found;
    const hasSecond = others.some((other) => isOther(claims, other));
    const read: ClaimsText = { form: 'json', claims, json: { text, at }, ...(at && { at }) };
    return hasSecond ? { ...read, hasSecond } : read;
  }
  const inside = carriers === 0 ? undefined : firstRead(stringsIn(value), carriers - 1);
  return inside ?? { fault: 'it contains no launch claims' };
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
    const found = findClaims(parseNative(text));
    if (!found) return { fault: 'the payload of the token contains no launch claims' };
    const { claims, at } = found;
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
    const found = firstRead(parametersOf(text, isUrl), carriers);
    if (found && !('fault' in found)) return { ...found, form: isUrl ? 'url' : 'form' };
  }
  if (isUrl) return { fault: 'it is a URL without a launch' };
  if (!BASE64.test(text)) return undefined;
  try {
    const found = readText(base64Text(text), carriers);
    return 'fault' in found ? undefined : { ...withoutPlace(found), form: 'base64' };
  } catch {
    return undefined;
  }
}

function parametersOf(text: string, isUrl: boolean): string[] {
  const [path = '', ...rest] = isUrl ? text.split(/[?#]/) : ['', text];
  const values = rest.flatMap((part) => Array.from(new URLSearchParams(part).values()));
  return [...values, ...path.split('/').filter((segment) => COMPACT_TOKEN.test(segment))];
}

/** The first text with a launch. */
function firstRead(texts: readonly string[], carriers: number): ClaimsText | undefined {
  for (const text of texts) {
    const read = readText(text, carriers);
    if (!('fault' in read)) return withoutPlace(read);
  }
  return undefined;
}

/** A pointer into decoded text is meaningless in the original. */
function withoutPlace({ at: _at, ...read }: ClaimsText): ClaimsText {
  return read;
}
