import * as s from '../../schema/schema.ts';
import { nameOf, peopleFound } from '../state/people.ts';
import type { EmulatorState } from '../state/state.ts';
import type { Member } from '../state/world.ts';

export const FILTER = s.described(
  s.text,
  'words that all match: method:, status:, person:, path:, by:tool or by:lectern, or any part of a request',
);

/** A condition of SQL, with the values of its parameters. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly string[];
}

/** A word of a filter, quoted where it has spaces: `method:put`, `person:"Chidi Berg"`, `timeout`. */
const WORD = /(?:(method|status|person|path|by):)?(?:"([^"]*)"?|(\S+))/gi;

/**
 * The condition of a filter. Each of its words must match, in any order and case:
 *
 * | Word      | Matches |
 * |-----------|---------|
 * | `method:` | the method, or its beginning |
 * | `status:` | the status or its beginning, such as `404` or `4xx`; `closed` without a response |
 * | `person:` | whose row or grade it was, or who called: a name, a part of it, or an ID |
 * | `path:`   | a part of the path |
 * | `by:`     | `tool`, or `lectern` for calls of its commands |
 * | any other | a part of anything that a list shows of the request |
 */
export function conditionOf(state: Worldly, filter: string): Condition {
  const words = [...filter.matchAll(WORD)].flatMap(([, key = '', quoted, plain = '']) => {
    const value = (quoted ?? plain).toLowerCase();
    // `and` between words may be written out.
    const isVoid = value === '' || (key === '' && quoted === undefined && value === 'and');
    return isVoid ? [] : [wordCondition(state, key.toLowerCase(), value)];
  });
  return {
    sql: ['1', ...words.map(({ sql }) => `(${sql})`)].join(' AND '),
    values: words.flatMap(({ values }) => values),
  };
}

type Worldly = Pick<EmulatorState, 'world'>;

const STATUS = "iif(status = 0, 'closed', status)";
const begins = (text: string): string => `instr(lower(${text}), ?) = 1`;
const contains = (text: string): string => `instr(lower(${text}), ?) > 0`;

/** Everything that a list shows, but for names; the parts are on lines of their own. */
const SHOWN = `concat_ws(char(10), number, method, about, member, caller, path, ${STATUS},
  ifnull(credential, 'no token'), launch, error, failure, fault, origin)`;

/** Whose calls: lectern's own commands have a user agent of their own. */
const BY: Readonly<Record<string, string>> = { lectern: 'by_lectern', tool: 'NOT by_lectern' };

function wordCondition(state: Worldly, key: string, value: string): Condition {
  switch (key) {
    case 'method':
      return { sql: begins('method'), values: [value] };
    case 'status':
      return { sql: begins(STATUS), values: [value.replace(/(?<!x)x+$/, '')] };
    case 'person':
      return personCondition(state, value);
    case 'by':
      return { sql: BY[value] ?? '0', values: [] };
    case 'path':
      return { sql: contains('path'), values: [value] };
    default: {
      const people = peopleFound(state, value);
      const named = people.filter((each) => nameOf(each).toLowerCase().includes(value));
      return { sql: `${contains(SHOWN)} OR ${OF_PEOPLE}`, values: [value, ...listed(named)] };
    }
  }
}

const OF_PEOPLE =
  '(member IN (SELECT value FROM json_each(?)) OR caller IN (SELECT value FROM json_each(?)))';

/** The IDs of members, for both parameters of `OF_PEOPLE`. */
function listed(people: readonly Member[]): [string, string] {
  const json = JSON.stringify(people.map(({ id }) => id));
  return [json, json];
}

/** A person whose whole name or ID it is takes precedence over partial matches. */
function personCondition(state: Worldly, value: string): Condition {
  const people = peopleFound(state, value);
  const named = people.filter((each) =>
    [each.id, nameOf(each)].some((whole) => whole.toLowerCase() === value),
  );
  if (named.length > 0) return { sql: OF_PEOPLE, values: listed(named) };
  // A tool may name members that do not exist.
  return { sql: `${OF_PEOPLE} OR ${begins('member')}`, values: [...listed(people), value] };
}
