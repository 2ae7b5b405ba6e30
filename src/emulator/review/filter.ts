import * as s from '../../schema/schema.ts';
import { isFound, memberName, peopleFound } from '../state/people.ts';
import type { EmulatorState } from '../state/state.ts';
import { shownPath, type StoredExchange } from './exchange.ts';

export const FILTER = s.described(
  s.text,
  'words that all match: method:, status:, person:, path:, by:tool or by:lectern, or any part of a request',
);

type Matches = (each: StoredExchange) => boolean;

/** A word of a filter, quoted where it has spaces: `method:put`, `person:"Chidi Berg"`, `timeout`. */
const WORD = /(?:(method|status|person|path|by):)?(?:"([^"]*)"?|(\S+))/gi;

/**
 * Creates a test of requests from a filter. Each of its words must match, in any order and case:
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
export function filterOf(state: EmulatorState, filter: string): Matches {
  const tests = [...filter.matchAll(WORD)].flatMap(([, key = '', quoted, plain = '']) => {
    const value = (quoted ?? plain).toLowerCase();
    // `and` between words may be written out.
    const isVoid = value === '' || (key === '' && quoted === undefined && value === 'and');
    return isVoid ? [] : [testOf(state, key.toLowerCase(), value)];
  });
  return (each) => tests.every((test) => test(each));
}

function testOf(state: EmulatorState, key: string, value: string): Matches {
  switch (key) {
    case 'method':
      return ({ method }) => method.toLowerCase().startsWith(value);
    case 'status': {
      const digits = value.replace(/(?<!x)x+$/, '');
      return ({ status }) => statusText(status).startsWith(digits);
    }
    case 'person':
      return personTest(state, value);
    case 'by':
      return ({ by_lectern }) => by_lectern === (value === 'lectern');
    case 'path':
      return pathTest(state, value, (_, path) => path);
    default:
      return pathTest(state, value, (each, path) => textOf(state, each, path));
  }
}

/**
 * A test of the path of a request. The path is redacted only if it contains the value itself, as
 * redaction only removes text.
 */
function pathTest(
  state: EmulatorState,
  value: string,
  text: (each: StoredExchange, path: string) => string,
): Matches {
  const has = (each: StoredExchange, path: string): boolean =>
    text(each, path).toLowerCase().includes(value);
  const isShortened = value.includes('…');
  return (each) => (isShortened || has(each, each.target)) && has(each, shownPath(state, each));
}

function statusText(status: number): string {
  return status === 0 ? 'closed' : String(status);
}

/** A person whose whole name or ID it is takes precedence over partial matches. */
function personTest(state: EmulatorState, value: string): Matches {
  const people = peopleFound(state, value);
  const named = [...people].filter(
    (id) => id.toLowerCase() === value || memberName(state, id).toLowerCase() === value,
  );
  const meant = named.length > 0 ? new Set(named) : people;
  // A tool may name members that do not exist.
  const isMeant = (id: string | null): boolean =>
    id !== null && (meant.has(id) || (named.length === 0 && isFound(value, [], [id])));
  return ({ member, caller }) => isMeant(member) || isMeant(caller);
}

/** The text of everything that a list shows, with this path. */
function textOf(state: EmulatorState, each: StoredExchange, path: string): string {
  const { number, method, about, member, caller, launch_id: launch, origin } = each;
  const named = (id: string | null): string =>
    id === null ? '' : `${memberName(state, id)} ${id}`;
  const where = [number, method, about, named(member), named(caller), path];
  const { status, credential, error, failure, fault } = each;
  const how = [statusText(status), credential ?? 'no token', launch, error, failure, fault, origin];
  return where.concat(how).join('\n');
}
