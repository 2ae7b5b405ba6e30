import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';

/** Extends a match: from the positions that it may have reached to those that it may reach next. */
type Step = (text: readonly string[], from: ReadonlySet<number>) => ReadonlySet<number>;

/**
 * Whether a name or path matches a glob: `*` and `?` within a folder, `**` across folders, `[a-z]`,
 * `[!a]`, `{a,b}`, and a backslash before a character that is meant literally. It follows all matches
 * at once and never goes back, so that no pattern and name take long. Throws `SyntaxError` for a
 * pattern that it cannot read.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const pattern = Array.from(glob.replace(/^\.\//, ''));
  const [step, end] = sequence(pattern, 0, /$^/);
  if (end < pattern.length || end === 0) throw new SyntaxError('it is empty');
  return (path) => {
    const text = Array.from(path);
    return step(text, new Set([0])).has(text.length);
  };
}

/** The steps from a position to the end, or to a character that stops them. */
function sequence(pattern: readonly string[], from: number, stop: RegExp): [Step, number] {
  const steps: Step[] = [];
  let at = from;
  while (at < pattern.length && !stop.test(pattern[at] as string)) {
    const [step, end] = stepAt(pattern, at);
    steps.push(step);
    at = end;
  }
  return [(text, starts) => steps.reduce((reached, step) => step(text, reached), starts), at];
}

function stepAt(pattern: readonly string[], at: number): [Step, number] {
  const [character = '', next] = pattern.slice(at, at + 2);
  if (/[?*+@!]/.test(character) && next === '(') {
    throw new SyntaxError(`${character}( has no meaning in it`);
  }
  if (character === '!' && at === 0) throw new SyntaxError('! has no meaning at its start');
  if (character === '*') return starsAt(pattern, at);
  if (character === '?') return [one(isWithinFolder), at + 1];
  if (character === '[') return classAt(pattern, at);
  if (character === '{') return bracesAt(pattern, at);
  if (character === '\\' && next !== undefined) return [one((each) => each === next), at + 2];
  return [one((each) => each === character), at + 1];
}

function starsAt(pattern: readonly string[], at: number): [Step, number] {
  if (pattern[at + 1] !== '*') return [many(isWithinFolder), at + 1];
  const any = many(() => true);
  if (pattern[at + 2] !== '/') return [any, at + 2];
  // `**/` is any number of folders, or none.
  const slash = one((each) => each === '/');
  return [(text, from) => union(from, slash(text, any(text, from))), at + 3];
}

function classAt(pattern: readonly string[], at: number): [Step, number] {
  const isNegated = /[!^]/.test(pattern[at + 1] ?? '');
  const first = at + (isNegated ? 2 : 1);
  const end = pattern.indexOf(']', first + 1);
  if (end < 0) throw new SyntaxError('[ has no ]');
  const ranges = [
    ...pattern
      .slice(first, end)
      .join('')
      .matchAll(/(.)(?:-(.))?/gsu),
  ];
  const isAmong = (each: string): boolean =>
    ranges.some(([, low = '', high = low]) => low <= each && each <= high);
  return [one((each) => each !== '/' && isAmong(each) !== isNegated), end + 1];
}

function bracesAt(pattern: readonly string[], at: number): [Step, number] {
  const choices: Step[] = [];
  let end = at;
  while (pattern[end] !== '}') {
    const [choice, next] = sequence(pattern, end + 1, /[,}]/);
    if (next >= pattern.length) throw new SyntaxError('{ has no }');
    choices.push(choice);
    end = next;
  }
  return [(text, from) => choices.map((each) => each(text, from)).reduce(union), end + 1];
}

function union(some: ReadonlySet<number>, other: ReadonlySet<number>): ReadonlySet<number> {
  return new Set([...some, ...other]);
}

function one(is: (character: string) => boolean): Step {
  return (text, from) => {
    const fitting = [...from].filter((at) => at < text.length && is(text[at] as string));
    return new Set(fitting.map((at) => at + 1));
  };
}

function many(is: (character: string) => boolean): Step {
  return (text, from) => {
    const reached = new Set<number>();
    for (const start of from) {
      for (let at = start; !reached.has(at); at += 1) {
        reached.add(at);
        if (at === text.length || !is(text[at] as string)) break;
      }
    }
    return reached;
  };
}

function isWithinFolder(character: string): boolean {
  return character !== '/';
}

/**
 * The paths of the files that match a glob, below `folder` and relative to it, sorted. Links are not
 * followed; hidden files are only found by a glob with `.` at the start of a name.
 */
export async function findFiles(
  folder: string,
  glob: string,
  interrupt: AbortSignal,
): Promise<string[]> {
  if (!/[*?[{]/.test(glob)) return [];
  const [, base = '', rest = ''] = /^((?:[^*?[{\\/]*\/)*)(.*)$/s.exec(glob) ?? [];
  const matches = globMatcher(rest);
  const depth = rest.includes('**') ? Infinity : rest.split('/').length;
  const isHiddenWanted = /(?:^|[/{,])\./.test(rest);
  const found: string[] = [];
  const search = async (below: string, level: number): Promise<void> => {
    for (const entry of await entriesOf(resolve(folder, base, below))) {
      interrupt.throwIfAborted();
      const path = `${below}${entry.name}`;
      if (entry.name.startsWith('.') && !isHiddenWanted) continue;
      if (entry.isFile() && matches(path)) found.push(`${base}${path}`);
      if (entry.isDirectory() && level < depth) await search(`${path}/`, level + 1);
    }
  };
  await search('', 1);
  return found.sort();
}

/** None for a folder that does not exist or cannot be read. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}
