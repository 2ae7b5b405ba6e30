import { isShared, type RowKind } from '../../contract/index.ts';
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

type Part = 'tool' | 'course' | 'location' | 'member';

interface RowShape {
  readonly kind: RowKind;
  readonly row: string;
  /** Without a query, so that any client can append `/<key>`. */
  readonly files: string;
}

export const ROWS_PREFIX = '/data/';

/** `{name}` is a placeholder of an ID. */
const ROW_SHAPES: readonly RowShape[] = [
  {
    kind: 'context',
    row: '/data/v1/contexts%2F{course}/row?tool={tool}',
    files: '/data/v1/contexts%2F{course}/of%3A{tool}/files',
  },
  {
    kind: 'location',
    row: '/data/v1/locations/{location}/row',
    files: '/data/v1/locations/{location}/files',
  },
  {
    kind: 'member',
    row: '/data/v1/members%2F{member}/row?tool={tool}&of=me%26you',
    files: '/data/v1/members%2F{member}/of%3A{tool}/files',
  },
  {
    kind: 'member_location',
    row: '/data/v1/members/{member}/at%3A{location}/row',
    files: '/data/v1/members/{member}/at%3A{location}/files',
  },
];

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
  ...ROW_SHAPES.flatMap(({ kind: row, row: shape, files }): Endpoint[] => [
    { kind: 'row', row, shape },
    { kind: 'files', row, shape: files },
    { kind: 'file', row, shape: `${files}/{key}` },
  ]),
  { kind: 'grade', shape: CONTEXTS_GRADE },
  { kind: 'grade', shape: ACCOUNT_GRADE },
  ...ROW_SHAPES.flatMap(({ kind: row }): Endpoint[] =>
    isShared(row) ? [{ kind: 'provision', row, shape: PROVISION_SHAPES[row] }] : [],
  ),
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
  return fill(shapeOf(row).row, { ...row });
}

export function filesPath(row: RowNames): string {
  return fill(shapeOf(row).files, { ...row });
}

function shapeOf(row: RowNames): RowShape {
  return ROW_SHAPES.find(({ kind }) => kind === row.kind) as RowShape;
}

export function provisionPath(
  level: 'context' | 'location',
  parts: { tool: string; course: string; location: string },
): string {
  return fill(PROVISION_SHAPES[level], parts);
}

export function gradePath(grade: GradeRoute): string {
  return fill(grade.shape === 'contexts' ? CONTEXTS_GRADE : ACCOUNT_GRADE, { ...grade });
}

function fill(shape: string, parts: Readonly<Record<string, string>>): string {
  return shape.replace(/\{(\w+)\}/g, (_, name: string) => parts[name] ?? '');
}

interface TargetReader {
  readonly pattern: RegExp;
  readonly target: (parts: Readonly<Record<string, string | undefined>>) => Target;
}

const ID = '[A-Za-z0-9._~-]+';

/**
 * The pattern of a shape. The member segment of a grade URL comes from the caller, who may encode
 * it.
 */
function pattern(shape: string, patterns: Readonly<Record<string, string>> = {}): RegExp {
  const escaped = shape.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  const source = escaped.replace(
    /\{(\w+)\}/g,
    (_, name: string) => `(?<${name}>${patterns[name] ?? ID})`,
  );
  return new RegExp(`^${source}$`);
}

const rowReaders: TargetReader[] = ROW_SHAPES.flatMap(({ kind, row, files }) => [
  {
    pattern: pattern(row),
    target: (parts) => ({ kind: 'row', row: { kind, ...idsOf(parts) } }),
  },
  {
    pattern: pattern(`${files}{key}`, { key: '(?:/[^?]*)?' }),
    target: (parts) => {
      const address = { kind, ...idsOf(parts) };
      if (!parts.key) return { kind: 'files', row: address };
      return { kind: 'file', row: address, key: decoded(parts.key.slice(1)) };
    },
  },
]);

const provisionReaders: TargetReader[] = Object.values(PROVISION_SHAPES).map((shape) => ({
  pattern: pattern(shape),
  target: (parts) => ({ kind: 'provision', ...idsOf(parts) }),
}));

const contextsReader: TargetReader = {
  pattern: pattern(CONTEXTS_GRADE, { member: '[^/?]+' }),
  target: (parts) => {
    const ids = idsOf(parts);
    const member = decoded(ids.member);
    return { kind: 'grade', grade: { shape: 'contexts', ...ids, member, user: '', check: '' } };
  },
};

const accountReader: TargetReader = {
  pattern: pattern(ACCOUNT_GRADE),
  target: (parts) => {
    const { user = '', check = '' } = parts;
    return { kind: 'grade', grade: { shape: 'account', ...idsOf(parts), user, check } };
  },
};

/** By the first segment of the path, so that few patterns are tried. */
const READERS: Readonly<Record<string, readonly TargetReader[]>> = {
  data: rowReaders,
  provision: provisionReaders,
  contexts: [contextsReader],
  account: [accountReader],
};

/** Parses the target of a request line; undefined if it is not a URL of the service. */
export function readTarget(target: string): Target | undefined {
  const first = target.slice(1, target.indexOf('/', 1));
  if (!Object.hasOwn(READERS, first)) return undefined;
  for (const reader of READERS[first] ?? []) {
    const match = reader.pattern.exec(target);
    if (match !== null) return reader.target(match.groups ?? {});
  }
  return undefined;
}

function idsOf(parts: Readonly<Record<string, string | undefined>>): Record<Part, string> {
  const { tool = '', course = '', location = '', member = '' } = parts;
  return { tool, course, location, member };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
