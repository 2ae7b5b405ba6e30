/** Launches to take apart: clean ones, as the contract has them, and what is needed to spoil them. */
import { ROW_KINDS } from '../../src/contract/index.ts';

export const BASE = 'https://tools.example';
export const NOW = Date.parse('2026-10-14T10:00:00Z');
const HOUR_MS = 3_600_000;

export type Tree = Record<string, unknown>;

/** A clean launch of an instructor. */
export function staffLaunch(): Tree {
  return {
    iss: BASE,
    launch_id: 'launch-7',
    api: { token: 'tok_3f9a', expires: NOW + 12 * HOUR_MS, idle: 43_200 },
    user: {
      member: 'm-1',
      groups: ['instructor'],
      given_name: 'Mara',
      family_name: 'Lindqvist',
      full_name: 'Mara Lindqvist',
      email: 'mara@campus.example',
    },
    context: 'c-1',
    course: { title: 'Biology 101' },
    location: { id: 'l-1', extid: 'essay' },
    resource_link: 'r-1',
    organization: { deployment: 'd-1' },
    storage: addresses('rows', ROW_KINDS),
    files: addresses('files', ROW_KINDS),
    grade: { submit: `${BASE}/contexts/c-1/members/m-1/scores` },
    version: { number: 3, upgrade: null },
  };
}

/** A clean launch of a student. */
export function studentLaunch(): Tree {
  const nobody = { given_name: null, family_name: null, full_name: null, email: null };
  return { ...staffLaunch(), user: { member: 'm-1', groups: ['student'], ...nobody } };
}

/** A clean provision request for a copied course. */
export function provisionRequest(): Tree {
  return {
    iss: BASE,
    api: { token: 'tok_77c1', expires: NOW + 2 * HOUR_MS, idle: null },
    context: 'c-2',
    location: { id: 'l-2', extid: 'essay' },
    storage: addresses('rows', ['context', 'location', 'parent_context', 'parent_location']),
    files: addresses('files', ['context', 'location']),
    provision: addresses('ready', ['context', 'location']),
    version: { number: 3, upgrade: null },
  };
}

function addresses(leaf: string, names: readonly string[]): Tree {
  return Object.fromEntries(names.map((name) => [name, `${BASE}/data/${name}/${leaf}`]));
}

/** The claims with one of them (`api.token`) set; undefined takes it away. */
export function withClaim(claims: Tree, path: string, value: unknown): Tree {
  const [name = '', ...rest] = path.split('.');
  const { [name]: before, ...others } = claims;
  const isObject = typeof before === 'object' && before !== null && !Array.isArray(before);
  const after =
    rest.length === 0 ? value : withClaim(isObject ? (before as Tree) : {}, rest.join('.'), value);
  return after === undefined ? others : { ...others, [name]: after };
}

/** The claims with several of them set. */
export function withClaims(claims: Tree, changes: Readonly<Record<string, unknown>>): Tree {
  return Object.entries(changes).reduce(
    (changed, [path, value]) => withClaim(changed, path, value),
    claims,
  );
}
