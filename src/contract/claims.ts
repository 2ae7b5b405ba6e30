import { ROW_NAMES, type RowName } from './rows.ts';

/** A claims object as it came, after it was found in whatever carried it. */
export type Claims = Readonly<Record<string, unknown>>;

/** The groups that make a user course staff ("Launch claims": `user.groups`). */
export const STAFF_GROUPS = ['manager', 'instructor', 'assistant'] as const;

/**
 * What lectern calls by out of a launch ("Launch claims referred to in this interface"). A claim
 * that is absent or of another type is undefined: the findings say so, and a command that needs it
 * refuses with its name.
 */
export interface Launch {
  readonly iss: string | undefined;
  readonly token: string | undefined;
  /** Lifetime information, values not given by the contract; shown raw. */
  readonly expires: unknown;
  readonly idle: unknown;
  readonly storage: Readonly<Partial<Record<RowName, string>>>;
  readonly files: Readonly<Partial<Record<RowName, string>>>;
  /** null: the launch has no gradebook column to post to. */
  readonly gradeSubmit: string | null | undefined;
  readonly member: string | undefined;
  readonly groups: readonly string[] | undefined;
  readonly fullName: string | undefined;
  readonly location: string | undefined;
  readonly context: string | undefined;
  readonly course: string | undefined;
  readonly provision: Readonly<Partial<Record<'context' | 'location', string>>>;
  readonly claims: Claims;
}

/** How a launch was written down. */
export type LaunchForm = 'json' | 'token';

/** Reads a launch's claims out of the text of a file: JSON, or a compact `header.payload.signature` token. */
export function claimsFromText(
  text: string,
): { form: LaunchForm; header?: unknown; claims: Claims } | { fault: string } {
  const trimmed = text.trim();
  if (trimmed === '') return { fault: 'it is empty' };
  if (COMPACT_TOKEN.test(trimmed)) return claimsFromToken(trimmed);
  let value: unknown;
  try {
    value = JSON.parse(trimmed);
  } catch {
    return { fault: 'it is neither JSON nor a header.payload.signature token' };
  }
  const claims = findClaims(value);
  return claims ? { form: 'json', claims } : { fault: 'it holds no launch claims' };
}

const COMPACT_TOKEN = /^[\w-]+\.[\w-]+\.[\w-]*$/;

function claimsFromToken(
  token: string,
): { form: LaunchForm; header: unknown; claims: Claims } | { fault: string } {
  const [header = '', payload = ''] = token.split('.');
  try {
    const claims = findClaims(JSON.parse(base64UrlText(payload)));
    if (!claims) return { fault: 'the payload of the token holds no launch claims' };
    return { form: 'token', header: JSON.parse(base64UrlText(header)), claims };
  } catch {
    return { fault: 'the parts of the token are not base64url-encoded JSON' };
  }
}

function base64UrlText(part: string): string {
  const binary = atob(part.replace(/-/g, '+').replace(/_/g, '/'));
  return new TextDecoder('utf-8', { fatal: true }).decode(
    Uint8Array.from(binary, (character) => character.charCodeAt(0)),
  );
}

/** Names by which an object is known to hold claims. */
const TELLING = ['api', 'storage', 'files', 'grade', 'user', 'provision', 'iss', 'launch_id'];
const MAX_WRAPPER_LEVELS = 4;

/** Finds the claims in a value: itself, or under a wrapper key some levels down. */
function findClaims(value: unknown, levels = MAX_WRAPPER_LEVELS): Claims | undefined {
  const object = objectOf(value);
  if (!object) return undefined;
  const expanded = expandDottedNames(object);
  if (TELLING.some((name) => Object.hasOwn(expanded, name))) return expanded;
  if (levels === 0) return undefined;
  for (const inner of Object.values(object)) {
    const found = findClaims(inner, levels - 1);
    if (found) return found;
  }
  return undefined;
}

/** Some write `"api.token": …` as the documentation does; read it like the nested form. */
function expandDottedNames(object: Claims): Claims {
  const dotted = Object.keys(object).filter((name) => /^[a-z_]+\.[a-z_]+$/.test(name));
  if (dotted.length === 0) return object;
  const expanded: Record<string, unknown> = { ...object };
  for (const name of dotted) {
    const [outer = '', inner = ''] = name.split('.');
    if (!TELLING.includes(outer) && !['location', 'organization'].includes(outer)) continue;
    expanded[outer] = { ...objectOf(expanded[outer]), [inner]: object[name] };
    delete expanded[name];
  }
  return expanded;
}

/** Takes out of a claims object what lectern calls by. */
export function readLaunch(claims: Claims): Launch {
  const api = objectOf(claims.api);
  const user = objectOf(claims.user);
  const grade = objectOf(claims.grade);
  const provision = objectOf(claims.provision);
  const groups = user?.groups;
  return {
    iss: textOf(claims.iss),
    token: textOf(api?.token),
    expires: api?.expires,
    idle: api?.idle,
    storage: urlsOf(claims.storage, ROW_NAMES),
    files: urlsOf(claims.files, ROW_NAMES),
    gradeSubmit: grade?.submit === null ? null : textOf(grade?.submit),
    member: textOf(user?.member),
    groups: Array.isArray(groups) ? groups.filter((group) => typeof group === 'string') : undefined,
    fullName: textOf(user?.full_name),
    location: textOf(objectOf(claims.location)?.id),
    context: textOf(claims.context),
    course: textOf(claims.course) ?? textOf(objectOf(claims.course)?.title),
    provision: urlsOf(provision, ['context', 'location']),
    claims,
  };
}

/** Whether a launch's groups make its user course staff; undefined where the claim is missing. */
export function isStaff(launch: Launch): boolean | undefined {
  return launch.groups?.some((group) => (STAFF_GROUPS as readonly string[]).includes(group));
}

/** Whether the claims are those of a provision request: it provisions a level, or brings parent rows. */
export function isProvisionRequest(launch: Launch): boolean {
  const { storage, provision, member } = launch;
  if (storage.parent_context !== undefined || storage.parent_location !== undefined) return true;
  return member === undefined && (provision.context ?? provision.location) !== undefined;
}

function urlsOf<Name extends string>(
  value: unknown,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const object = objectOf(value);
  const urls: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const url = textOf(object?.[name]);
    if (url !== undefined) urls[name] = url;
  }
  return urls;
}

function objectOf(value: unknown): Claims | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Claims)
    : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
