import { readTarget, type Target } from '../service/addresses.ts';
import { accountCheck } from '../service/grades/grades.ts';
import type { Token } from '../state/records.ts';
import { rowKey } from '../state/row-table.ts';
import type { EmulatorState } from '../state/state.ts';
import type { Exchanges } from './exchanges.ts';

/**
 * The launches that came with an address, by the first part of its key; the values are the other parts.
 * `grade.submit` is null unless the location is an assessment. There it can be switched off, but may
 * have been on before.
 */
const CAME_WITH: Readonly<Record<string, readonly string[]>> = {
  context: [
    'tool = ? AND course = ?',
    "kind = 'provision' AND tool = ? AND course IN (SELECT id FROM courses WHERE parent = ?)",
  ],
  location: [
    'tool = ? AND location = ?',
    "kind = 'provision' AND tool = ? AND location IN (SELECT id FROM locations WHERE parent = ?)",
  ],
  member: ["kind = 'launch' AND tool = ? AND member = ?"],
  member_location: ["kind = 'launch' AND tool = ? AND location = ? AND member = ?"],
  provision: ['course = ? AND tool = ?'],
  provision_location: ['location = ?'],
  grade: [gradedBy('NOT account AND course = ? AND tool = ? AND location = ?')],
  account: [gradedBy('account AND user = ? AND location = ?')],
};

function gradedBy(where: string): string {
  const assessments = "SELECT id FROM locations WHERE type = 'assessment'";
  return `kind = 'launch' AND ${where} AND location IN (${assessments})`;
}

/** The grade URLs that a tool's server may keep over a reset: it calls them with its API key. */
export function keptAddresses({ tokens }: EmulatorState, exchanges: Pick<Exchanges, 'rows'>) {
  const launched = tokens.all(gradedBy('NOT account'));
  const before = exchanges.rows<{ address: string }>('SELECT address FROM addresses');
  return [
    ...Array.from(before, ({ address }) => address),
    ...launched.map(({ course, tool, location }) => `grade/${course}/${tool}/${location}`),
  ];
}

/** What names an address among those that launches hand out, without a signature in it. */
export function addressKey(state: EmulatorState, target: Target): string {
  switch (target.kind) {
    case 'row':
    case 'files':
    case 'file': {
      // Some addresses do not name the tool, but a location belongs to one.
      const { tool, location } = target.row;
      return rowKey({
        ...target.row,
        tool: tool || (state.world.locations.get(location)?.tool ?? ''),
      });
    }
    case 'provision': {
      const { course, tool, location } = target;
      return location === '' ? `provision/${course}/${tool}` : `provision_location/${location}`;
    }
    case 'grade': {
      const { shape, course, tool, location, user, check } = target.grade;
      if (shape === 'contexts') return `grade/${course}/${tool}/${location}`;
      const isOurs = check === accountCheck(state, target.grade);
      return `${isOurs ? 'account' : 'account_altered'}/${user}/${location}`;
    }
  }
}

/** The same of a URL; undefined if it is none of the service. */
export function addressKeyOf(state: EmulatorState, url: string): string | undefined {
  const { api } = state.urls;
  const target = url.startsWith(api) ? readTarget(state, url.slice(api.length)) : undefined;
  return target && addressKey(state, target);
}

/** Whether a launch came with an address; only the caller's own, if it is given. */
export function isHandedOut({ tokens }: EmulatorState, key: string, own?: Token): boolean {
  const [kind = '', ...ids] = key.split('/');
  return (CAME_WITH[kind] ?? []).some((where) =>
    own === undefined
      ? tokens.some(where, ids)
      : tokens.some(`${where} AND token = ?`, [...ids, own.token]),
  );
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
