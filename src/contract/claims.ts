import { isObject, valueAtPath } from './is-object.ts';
import { ROW_NAMES, type RowName } from './rows.ts';
import { originOf } from './url.ts';

/** The claims of a launch as parsed JSON. */
export type Claims = Readonly<Record<string, unknown>>;

/** The groups that make a user course staff ("Launch claims": `user.groups`). */
export const STAFF_GROUPS = ['manager', 'instructor', 'assistant'] as const;

/** The members of `user` that are filled for staff, and null for everyone else ("Launch claims"). */
export const STAFF_DATA = ['given_name', 'family_name', 'full_name', 'email'] as const;

/**
 * The claims of a launch that lectern uses ("Launch claims referred to in this interface"). A claim
 * that is missing or has another type is undefined: `validateLaunch` reports it.
 */
export interface Launch {
  readonly iss: string | undefined;
  readonly token: string | undefined;
  /** Lifetimes, whose values the contract does not give; shown raw. */
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

/**
 * Reads the claims of a launch that lectern uses.
 *
 * @example
 * const { storage, gradeSubmit, member } = readLaunch(JSON.parse(text));
 */
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

/** Whether a launch's groups make its user course staff; undefined if the claim is missing. */
export function isStaff(launch: Launch): boolean | undefined {
  return launch.groups?.some((group) => (STAFF_GROUPS as readonly string[]).includes(group));
}

export type LaunchKind = 'launch' | 'provision_request';

/** Distinguishes the launch of a person from a request to set a course up. */
export function kindOfLaunch(launch: Launch): LaunchKind {
  return isProvisionRequest(launch) ? 'provision_request' : 'launch';
}

/**
 * Whether the claims are those of a provision request: it has no member and no grade URL, but the URLs
 * of what it provisions or of the previous course's rows.
 */
export function isProvisionRequest(launch: Launch): boolean {
  const { storage, provision, member, groups, gradeSubmit } = launch;
  // A null grade.submit takes no grades either.
  const isOfUser = member !== undefined || groups !== undefined || typeof gradeSubmit === 'string';
  if (isOfUser) return false;
  const brought = [provision.context, provision.location];
  const parents = [storage.parent_context, storage.parent_location];
  return [...brought, ...parents].some((url) => url !== undefined);
}

/** The value of a claim by its path, such as `api.token`; undefined if it is absent. */
export function claimAt(claims: Claims, path: string): unknown {
  return valueAtPath(claims, path.split('.'));
}

/** A URL of a launch, and its claim. */
export interface Address {
  readonly claim: string;
  readonly url: string;
}

/** Every callable URL of a launch. */
export function addressesOf({ storage, files, provision, gradeSubmit }: Launch): Address[] {
  const listed = Object.entries({ storage, files, provision }).flatMap(([outer, urls]) =>
    Object.entries(urls).map(([name, url]) => ({ claim: `${outer}.${name}`, url })),
  );
  return gradeSubmit ? [...listed, { claim: 'grade.submit', url: gradeSubmit }] : listed;
}

/** The origin of the issuer; undefined without a usable one. */
export function issuerOrigin({ iss }: Launch): string | undefined {
  return iss === undefined ? undefined : originOf(iss);
}

/**
 * The origin of the service that a launch came from, to which its token may be sent: that of `iss`,
 * "always the service's own base address", or without one the origin that all its URLs share;
 * undefined if there is none or more than one.
 */
export function launchOrigin(launch: Launch): string | undefined {
  const issuer = issuerOrigin(launch);
  if (issuer !== undefined) return issuer;
  const origins = new Set(addressesOf(launch).flatMap(({ url }) => originOf(url) ?? []));
  return origins.size === 1 ? [...origins][0] : undefined;
}

/** What people and programs write in place of a secret: (hidden), ***, [FILTERED], $TOKEN, abc... */
export const PLACEHOLDER = /^(?:\(hidden|[<[{*$%])|\*{3}|\.{3}|…/;

/** Whether a secret is valid in a header: visible ASCII only. */
export function isHeaderText(secret: string): boolean {
  return /^[\x21-\x7e]+$/.test(secret);
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
  return isObject(value) ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
