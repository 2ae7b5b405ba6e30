import { hash } from 'node:crypto';
import { readTarget, type Target } from '../service/addresses.ts';
import { accountCheck } from '../service/grades/grades.ts';
import type { Token } from '../state/records.ts';
import { rowKey, type RowNames } from '../state/row-table.ts';
import type { EmulatorState } from '../state/state.ts';

/** What names an address among those that launches hand out, without a signature in it. */
export function addressKey(state: EmulatorState, target: Target): string {
  switch (target.kind) {
    case 'row':
    case 'files':
    case 'file':
      return rowKey(withTool(state, target.row));
    case 'provision':
      return `provision/${target.course}/${target.tool}/${target.location}`;
    case 'grade': {
      const { shape, course, tool, location, user, check } = target.grade;
      if (shape === 'contexts') return `grade/${course}/${tool}/${location}`;
      return `account/${user}/${location}/${hash('sha256', check, 'base64')}`;
    }
  }
}

/** The same of a URL; undefined if it is none of the service. */
export function addressKeyOf(state: EmulatorState, url: string): string | undefined {
  const { api } = state.urls;
  const target = url.startsWith(api) ? readTarget(state, url.slice(api.length)) : undefined;
  return target && addressKey(state, target);
}

/** Some addresses do not name the tool, but a location belongs to one. */
function withTool({ world }: EmulatorState, row: RowNames): RowNames {
  if (row.tool !== '') return row;
  return { ...row, tool: world.locations.get(row.location)?.tool ?? '' };
}

/** Whether an address came with the caller's own launch. */
export function isOwn(state: EmulatorState, target: Target, own: Token | undefined): boolean {
  return own !== undefined && keysOf(state, own, target.kind).includes(addressKey(state, target));
}

/** Those of some addresses that no launch came with. */
export function notHandedOut(state: EmulatorState, keys: readonly string[]): Set<string> {
  const left = new Set(keys);
  for (const token of state.tokens.all()) {
    if (left.size === 0) break;
    for (const key of keysOf(state, token)) left.delete(key);
  }
  return left;
}

/**
 * Whether a launch may have come with a grade URL: `grade.submit` is null unless the location is an
 * assessment. At an assessment it can be switched off, but may have been on before.
 */
function isGraded({ world }: EmulatorState, { location }: Token): boolean {
  const { type = 'assessment' } = world.locations.get(location) ?? {};
  return type === 'assessment';
}

/** The addresses that a token was issued with; only those that may be of a kind, if given. */
function keysOf(state: EmulatorState, token: Token, only?: Target['kind']): string[] {
  const isWanted = (...kinds: readonly Target['kind'][]): boolean =>
    only === undefined || kinds.includes(only);
  const targets = [
    ...(isWanted('row', 'files', 'file') ? rowsOf(state, token) : []),
    ...(isWanted('provision') ? levelsOf(token) : []),
    ...(isWanted('grade') ? gradeOf(state, token) : []),
  ];
  return targets.map((target) => addressKey(state, target));
}

function rowsOf({ world }: EmulatorState, token: Token): Target[] {
  const { tool, course, location, member } = token;
  const row = (kind: RowNames['kind'], at = { course, location }): Target => ({
    kind: 'row',
    row: { kind, tool, member, ...at },
  });
  const shared = [row('context'), row('location')];
  if (token.kind === 'launch') return [...shared, row('member'), row('member_location')];
  const parent = {
    course: world.courses.get(course)?.parent ?? '',
    location: world.locations.get(location)?.parent ?? '',
  };
  return [...shared, row('context', parent), row('location', parent)];
}

function levelsOf({ tool, course, location }: Token): Target[] {
  return [
    { kind: 'provision', tool, course, location: '' },
    { kind: 'provision', tool: '', course: '', location },
  ];
}

function gradeOf(state: EmulatorState, token: Token): Target[] {
  if (token.kind === 'provision' || !isGraded(state, token)) return [];
  const { tool, course, location, member, user, account } = token;
  const shape = account ? 'account' : 'contexts';
  const check = account ? accountCheck(state, { user, location }) : '';
  return [{ kind: 'grade', grade: { shape, course, tool, location, member, user, check } }];
}

/** The segments in which an address differs from those of the caller's own launch. */
export function differingSegments(target: Target, own: Token): string {
  // The member of a grade URL may be chosen by the caller.
  const given: Readonly<Record<string, string>> =
    target.kind === 'grade'
      ? { ...target.grade, member: '' }
      : target.kind === 'provision'
        ? { course: target.course, tool: target.tool, location: target.location }
        : { ...target.row };
  const names = ['course', 'tool', 'location', 'member', 'user'] as const;
  const changed = names.filter((name) => given[name] && given[name] !== own[name]);
  return changed.length === 0 ? 'a segment' : `the ${changed.join(' and the ')} segment`;
}
