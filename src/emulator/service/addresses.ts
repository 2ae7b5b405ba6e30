import { ROW_KINDS, type RowKind } from '../../contract/index.ts';
import type { RowNames } from '../state/rows.ts';

/**
 * The URLs of the emulator's launches. They are opaque to callers and awkward on purpose, as real ones
 * are: some have an encoded slash or colon in a segment, some a query, and they are only accepted
 * byte for byte. IDs have unreserved characters only, so they are not encoded.
 */

export interface GradeRoute {
  readonly shape: 'contexts' | 'account';
  readonly course: string;
  readonly tool: string;
  readonly location: string;
  /** The membership under `/contexts/…`. */
  readonly member: string;
  /** The user under `/account/v1/users/…`. */
  readonly user: string;
  /** A signature of the parts of an account URL, since none of them may be changed. */
  readonly check: string;
}

/** The parsed target of a request line. Parts that its shape does not have are ''. */
export type Target =
  | { readonly kind: 'row' | 'files'; readonly row: RowNames }
  | { readonly kind: 'file'; readonly row: RowNames; readonly key: string }
  | { readonly kind: 'grade'; readonly grade: GradeRoute }
  | {
      readonly kind: 'provision';
      readonly tool: string;
      readonly course: string;
      readonly location: string;
    };

export const ROWS_PREFIX = '/data/';

/**
 * `{name}` is a placeholder of an ID. The URLs of files have no query, so that any client can append
 * `/<key>`.
 */
const ROW_SHAPES: Readonly<Record<RowKind, { readonly row: string; readonly files: string }>> = {
  context: {
    row: '/data/v1/contexts%2F{course}/row?tool={tool}',
    files: '/data/v1/contexts%2F{course}/of%3A{tool}/files',
  },
  location: {
    row: '/data/v1/locations/{location}/row',
    files: '/data/v1/locations/{location}/files',
  },
  member: {
    row: '/data/v1/members%2F{member}/row?tool={tool}&of=me%26you',
    files: '/data/v1/members%2F{member}/of%3A{tool}/files',
  },
  member_location: {
    row: '/data/v1/members/{member}/at%3A{location}/row',
    files: '/data/v1/members/{member}/at%3A{location}/files',
  },
};

const PROVISION_SHAPES = {
  context: '/provision/v1/contexts%2F{course}?tool={tool}',
  location: '/provision/v1/locations/{location}/ready',
} as const;

const CONTEXTS_GRADE =
  '/contexts/{course}/tools/{tool}/placements/{location}/members/{member}/scores?as=attempt%2Fnew';
const ACCOUNT_GRADE = '/account/v1/users/{user}/placements/{location}/scores?check={check}';

/** An address of the service, with placeholders such as `{tool}`. */
export interface Endpoint {
  readonly kind: Target['kind'];
  readonly shape: string;
  /** The kind of the row, of addresses of rows and files. */
  readonly row?: RowKind;
}

/** All addresses, as an API description lists them. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...ROW_KINDS.flatMap((row): Endpoint[] => [
    { kind: 'row', row, shape: ROW_SHAPES[row].row },
    { kind: 'files', row, shape: ROW_SHAPES[row].files },
    { kind: 'file', row, shape: `${ROW_SHAPES[row].files}/{key}` },
  ]),
  { kind: 'grade', shape: CONTEXTS_GRADE },
  { kind: 'grade', shape: ACCOUNT_GRADE },
  { kind: 'provision', row: 'context', shape: PROVISION_SHAPES.context },
  { kind: 'provision', row: 'location', shape: PROVISION_SHAPES.location },
];

/** The allowed methods at each address. */
export const METHODS = {
  row: ['GET', 'PUT', 'PATCH'],
  files: ['GET'],
  file: ['GET', 'PUT', 'DELETE'],
  grade: ['POST'],
  provision: ['PUT'],
} as const satisfies Readonly<Record<Target['kind'], readonly string[]>>;

export function rowPath(row: RowNames): string {
  return fill(ROW_SHAPES[row.kind].row, row);
}

export function filesPath(row: RowNames): string {
  return fill(ROW_SHAPES[row.kind].files, row);
}

export function provisionPath(
  level: 'context' | 'location',
  parts: { tool: string; course: string; location: string },
): string {
  return fill(PROVISION_SHAPES[level], parts);
}

export function gradePath(grade: GradeRoute): string {
  return fill(grade.shape === 'contexts' ? CONTEXTS_GRADE : ACCOUNT_GRADE, grade);
}

function fill(shape: string, parts: object): string {
  const named = parts as Readonly<Record<string, string>>;
  return shape.replace(/\{(\w+)\}/g, (_, name: string) => named[name] ?? '');
}

const ID = '[A-Za-z0-9._~-]+';

/** Come from the caller, who may encode them: a file's key, and the member segment of a grade URL. */
const CALLERS_OWN = [
  ['/{key}', '/(?<key>[^?]*)'],
  ['/members/{member}/scores', '/members/(?<member>[^/?]+)/scores'],
] as const;

/** Each shape as a pattern, with the text before its first placeholder. */
const READERS = ENDPOINTS.map((endpoint) => {
  const escaped = endpoint.shape.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  const own = CALLERS_OWN.reduce((text, [part, pattern]) => text.replace(part, pattern), escaped);
  const pattern = new RegExp(`^${own.replace(/\{(\w+)\}/g, `(?<$1>${ID})`)}$`);
  return { endpoint, prefix: endpoint.shape.split('{', 1)[0] ?? '', pattern };
});

/** Parses the target of a request line; undefined if it is not a URL of the service. */
export function readTarget(target: string): Target | undefined {
  for (const { endpoint, prefix, pattern } of READERS) {
    const match = target.startsWith(prefix) ? pattern.exec(target) : null;
    if (match !== null) return targetOf(endpoint, match.groups ?? {});
  }
  return undefined;
}

function targetOf(
  { kind, row }: Endpoint,
  parts: Readonly<Record<string, string | undefined>>,
): Target {
  const { tool = '', course = '', location = '', member = '' } = parts;
  const address = { kind: row as RowKind, tool, course, location, member };
  switch (kind) {
    case 'row':
    case 'files':
      return { kind, row: address };
    case 'file':
      return { kind, row: address, key: decoded(parts.key ?? '') };
    case 'provision':
      return { kind, tool, course, location };
    case 'grade': {
      const { user = '', check = '' } = parts;
      const shape = user === '' ? 'contexts' : 'account';
      const grade = {
        shape,
        tool,
        course,
        location,
        member: decoded(member),
        user,
        check,
      } as const;
      return { kind, grade };
    }
  }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
