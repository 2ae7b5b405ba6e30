import { decodedOrSame, ROW_KINDS, type RowKind } from '../../contract/index.ts';
import type { UrlScheme } from '../freedom/urls.ts';
import { FREEDOMS } from '../freedom/vary.ts';
import type { RowNames } from '../state/row-table.ts';
import type { WithChosen } from './reply.ts';

/**
 * The URLs of the emulator's launches. They are opaque to callers and awkward on purpose, and they are only
 * accepted byte for byte. IDs have unreserved characters only, so they are not encoded.
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

/** An address of the service, with placeholders such as `{tool}`. */
export interface Endpoint {
  readonly kind: Target['kind'];
  readonly shape: string;
  /** The kind of the row, of addresses of rows and files. */
  readonly row?: RowKind;
}

/** All addresses of a scheme. The key of a file goes before the query. */
function endpointsIn({ rows, provision, grade }: UrlScheme): Endpoint[] {
  return [
    ...ROW_KINDS.flatMap((row): Endpoint[] => [
      { kind: 'row', row, shape: rows[row].row },
      { kind: 'files', row, shape: rows[row].files },
      { kind: 'file', row, shape: rows[row].files.replace(/(?=\?|$)/, '/{key}') },
    ]),
    { kind: 'grade', shape: grade.contexts },
    { kind: 'grade', shape: grade.account },
    { kind: 'provision', row: 'context', shape: provision.context },
    { kind: 'provision', row: 'location', shape: provision.location },
  ];
}

/** The allowed methods at each address. */
export const METHODS = {
  row: ['GET', 'PUT', 'PATCH'],
  files: ['GET'],
  file: ['GET', 'PUT', 'DELETE'],
  grade: ['POST'],
  provision: ['PUT'],
} as const satisfies Readonly<Record<Target['kind'], readonly string[]>>;

export function rowPath({ chosen }: WithChosen, row: RowNames): string {
  return filledShape(chosen.urls.rows[row.kind].row, row);
}

export function filesPath({ chosen }: WithChosen, row: RowNames): string {
  return filledShape(chosen.urls.rows[row.kind].files, row);
}

export function provisionPath(
  { chosen }: WithChosen,
  level: 'context' | 'location',
  parts: { tool: string; course: string; location: string },
): string {
  return filledShape(chosen.urls.provision[level], parts);
}

export function gradePath({ chosen }: WithChosen, grade: GradeRoute): string {
  return filledShape(chosen.urls.grade[grade.shape], grade);
}

/** Whether a target can only be that of a row or of files, whether or not there is one. */
export function isBelowRows({ chosen }: WithChosen, target: string): boolean {
  return target.startsWith(chosen.urls.prefix);
}

/** All addresses, as an API description lists them. */
export function endpointsOf({ chosen }: WithChosen): readonly Endpoint[] {
  return readersOf(chosen.urls).map(({ endpoint }) => endpoint);
}

export function filledShape(shape: string, parts: object): string {
  const named = parts as Readonly<Record<string, string | number>>;
  return shape.replace(/\{(\w+)\}/g, (_, name: string) => String(named[name] ?? ''));
}

const ID = '[A-Za-z0-9._~-]+';

/** A pattern for each placeholder; those that come from the caller may be encoded. */
function patternOf(kind: Endpoint['kind'], name: string): string {
  if (name === 'key') return '[^?]*';
  return kind === 'grade' && name === 'member' ? '[^/?]+' : ID;
}

interface Reader {
  readonly endpoint: Endpoint;
  /** The text before the first placeholder. */
  readonly prefix: string;
  readonly pattern: RegExp;
}

function readerOf(endpoint: Endpoint): Reader {
  const { kind, shape } = endpoint;
  const pattern = shapePattern(shape, (name) => patternOf(kind, name));
  return { endpoint, prefix: shape.split('{', 1)[0] ?? '', pattern };
}

/** Matches the addresses of a shape, with a group for each placeholder. */
export function shapePattern(shape: string, part: (name: string) => string): RegExp {
  const escaped = shape.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  const source = escaped.replace(/\{(\w+)\}/g, (_, name: string) => `(?<${name}>${part(name)})`);
  return new RegExp(`^${source}$`);
}

const READERS: ReadonlyMap<UrlScheme, readonly Reader[]> = new Map(
  FREEDOMS.urls.values.map(([, scheme]) => [scheme, endpointsIn(scheme).map(readerOf)]),
);

function readersOf(scheme: UrlScheme): readonly Reader[] {
  return READERS.get(scheme) ?? [];
}

/** Parses the target of a request line; undefined if it is not a URL of the service. */
export function readTarget({ chosen }: WithChosen, target: string): Target | undefined {
  for (const { endpoint, prefix, pattern } of readersOf(chosen.urls)) {
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
      return { kind, row: address, key: decodedOrSame(parts.key ?? '') };
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
        member: decodedOrSame(member),
        user,
        check,
      } as const;
      return { kind, grade };
    }
  }
}
