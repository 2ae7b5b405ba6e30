import {
  addressesOf,
  decodedOrSame,
  gradeUrlShape,
  type Launch,
  launchOrigin,
  originOf,
  ROW_NAMES,
  type RowName,
  splitUrl,
  withoutQuery,
} from '../contract/index.ts';
import { kindOf } from '../contract/rows.ts';
import type { Target } from '../emulator/service/addresses.ts';

/** The IDs of a launch in the emulator's world. */
export interface LaunchIds {
  readonly tool: string;
  readonly course: string;
  readonly location: string;
  readonly member: string;
  readonly parent: { readonly course: string; readonly location: string };
}

/** An address of a launch: its path and query, and what it calls. */
interface Known {
  readonly origin: string;
  readonly path: string;
  readonly query: string;
  readonly target: Target;
  /** The member segment of a grade URL may be the caller's own. */
  readonly ownMember?: string;
}

/** The addresses of one launch at its service, as they are in request lines. */
export class LaunchAddresses {
  readonly #known: readonly Known[];
  readonly #ids: LaunchIds;

  constructor(launch: Launch, ids: LaunchIds) {
    this.#ids = ids;
    this.#known = [...knownIn(launch, ids)];
  }

  /** What a request calls; undefined for an address of no launch. */
  find(origin: string, requested: string): Target | undefined {
    const [path = '', query = ''] = splitTarget(requested);
    const matching = this.#known.filter((each) => each.origin === origin && each.query === query);
    // One address of a launch may begin with another one.
    const longest = matching.toSorted((one, other) => other.path.length - one.path.length);
    for (const find of [exactly, fileOf, gradeOf, this.#changed]) {
      for (const each of longest) {
        const target = find(each, path);
        if (target !== undefined) return target;
      }
    }
    return undefined;
  }

  /** An address of a launch in which the segment of an ID was changed. */
  readonly #changed = ({ path, target }: Known, requested: string): Target | undefined => {
    const [own, given] = [path.split('/'), requested.split('/')];
    if (own.length !== given.length || target.kind === 'grade') return undefined;
    const at = own.flatMap((segment, index) => (segment === given[index] ? [] : [index]));
    const [place = -1] = at;
    if (at.length !== 1) return undefined;
    const names = ['member', 'location', 'course'] as const;
    const was = decodedOrSame(own[place] ?? '');
    const name = names.find((each) => this.#ids[each] === was);
    if (name === undefined || !('row' in target) || target.row[name] === '') return undefined;
    const row = { ...target.row, [name]: decodedOrSame(given[place] ?? '') };
    return { ...target, row } as Target;
  };
}

function splitTarget(target: string): [path: string, query: string] {
  const path = withoutQuery(target);
  return [path, target.slice(path.length)];
}

function exactly(known: Known, path: string): Target | undefined {
  return known.path === path ? known.target : undefined;
}

/** "`<files URL>/<key>`". */
function fileOf({ path, target }: Known, requested: string): Target | undefined {
  if (target.kind !== 'files' || !requested.startsWith(`${path}/`)) return undefined;
  const key = decodedOrSame(requested.slice(path.length + 1));
  return { kind: 'file', row: target.row, key };
}

/** "The only segment of the URL that may be changed is the member segment." */
function gradeOf({ path, target, ownMember }: Known, requested: string): Target | undefined {
  if (target.kind !== 'grade' || ownMember === undefined) return undefined;
  const [own, given] = [path.split('/'), requested.split('/')];
  const place = own.findLastIndex((segment) => decodedOrSame(segment) === ownMember);
  const isSame = own.every((segment, index) => index === place || segment === given[index]);
  if (place === -1 || own.length !== given.length || !isSame) return undefined;
  return { kind: 'grade', grade: { ...target.grade, member: decodedOrSame(given[place] ?? '') } };
}

function* knownIn(launch: Launch, ids: LaunchIds): Generator<Known> {
  const known = (url: string | null | undefined, target: Target, ownMember?: string): Known[] => {
    const split = splitUrl(url ?? '');
    if ('fault' in split) return [];
    const { origin, path, query } = split;
    return [
      { origin, path: path || '/', query, target, ...(ownMember !== undefined && { ownMember }) },
    ];
  };
  for (const name of ROW_NAMES) {
    const row = rowNames(name, ids);
    yield* known(launch.files[name], { kind: 'files', row });
    yield* known(launch.storage[name], { kind: 'row', row });
  }
  const { gradeSubmit } = launch;
  if (gradeSubmit) {
    const { tool, course, location, member } = ids;
    const isAccount = gradeUrlShape(gradeSubmit) === 'account';
    const shape = isAccount ? 'account' : 'contexts';
    const grade = { shape, tool, course, location, member, user: '', check: '' } as const;
    yield* known(gradeSubmit, { kind: 'grade', grade }, isAccount ? undefined : launch.member);
  }
  const { tool, course, location } = ids;
  const level = { kind: 'provision', tool, course } as const;
  yield* known(launch.provision.context, { ...level, location: '' });
  yield* known(launch.provision.location, { kind: 'provision', tool: '', course: '', location });
}

/** The names of a row, without those that its kind does not have. */
function rowNames(name: RowName, { tool, course, location, member, parent }: LaunchIds) {
  const kind = kindOf(name);
  const at = name.startsWith('parent_') ? parent : { course, location };
  return {
    kind,
    tool: kind === 'context' || kind === 'member' ? tool : '',
    course: kind === 'context' ? at.course : '',
    location: kind === 'location' || kind === 'member_location' ? at.location : '',
    member: kind === 'member' || kind === 'member_location' ? member : '',
  };
}

/** The origins of a launch: that of the service, to which its token may go, is the first. */
export function originsOf(launch: Launch): string[] {
  const own = launchOrigin(launch);
  const others = addressesOf(launch).flatMap(({ url }) => originOf(url) ?? []);
  return [...new Set([...(own === undefined ? [] : [own]), ...others])];
}

/** Claims in which each text that begins with an origin has another one instead. */
export function ledThrough(
  claims: unknown,
  origins: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const change = (value: unknown): unknown => {
    if (typeof value === 'string') return withOrigin(value, origins);
    if (Array.isArray(value)) return value.map(change);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, change(each)]));
  };
  return change(claims) as Record<string, unknown>;
}

function withOrigin(text: string, origins: ReadonlyMap<string, string>): string {
  const [, base = '', rest = ''] = /^(https?:\/\/[^/?#]+)(.*)$/is.exec(text) ?? [];
  const local = base === '' ? undefined : origins.get(originOf(base) ?? '');
  return local === undefined ? text : local + rest;
}
