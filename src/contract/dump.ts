/*
 * What console.log, Python's print, and the dumps of Ruby and PHP write of an object, read as JSON.
 */

/** The start of an object or list, with what PHP and JavaScript write before and after its bracket. */
const OPEN =
  /(?:(?:\w+ )?(?:array|object)(?::\d+|\s*\([\w\\]+\)(?:#\d+ \(\d+\))?)?|\(object\)\s*array|Map\(\d+\)|\[Object: null prototype\])?\s*([{[(])(?:#\d+)?(?: ?▼)?(?: *\/\/ .*)?/iy;
const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']', '(': ')' };
const STRING = /(?:string\(\d+\)\s*)?(?:"((?:[^"\\]|\\[^])*)"|'((?:[^'\\]|\\[^])*)')/y;
/** The pprint of Python breaks a long text into several. */
const NEXT_STRING = /\s+(?:"((?:[^"\\]|\\[^])*)"|'((?:[^'\\]|\\[^])*)')(?!\s*(?:=>|:))/y;
const QUOTED_KEY =
  /\+?(?:\[?"((?:[^"\\]|\\[^])*)"(?::\w+)?\]?|'((?:[^'\\]|\\[^])*)')\s*(?:=>|:)\s*/y;
/** print_r writes `[key] => text`, up to the end of the line, and for null nothing. */
const PRINTED_KEY = /\[([^\]"'\n]{1,200})\] =>[^\S\n]*/y;
const PRINTED_CONTAINER = /(?=(?:Array|\w+ Object)\s*\()/y;
const PLAIN_KEY = /(?:\[(\d+)\]|:?([\w.$-]+))\s*(?:=>|:)\s*/y;
const WORD = /(?:int|float|bool)\(([^)]*)\)|([^\s,;{}[\]()"']+)/y;
const REST_OF_LINE = /([^\n]*)/y;
const SPACE = /[\s,;]*/y;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const NAMED: Readonly<Record<string, string>> = {
  none: 'null',
  nil: 'null',
  null: 'null',
  undefined: 'null',
  true: 'true',
  false: 'false',
};
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', e: '\u001b' };
const MOST_LEVELS = 50;

/** Positions at which a dump may start. */
export const DUMP_START =
  /\{|\barray:\d+ (?=\[)|\b(?:array|object)\b[^\n{(]{0,100}\s{0,100}(?=\()/gi;

/** The JSON of the dump at a position, and where it ends; undefined if it is none. */
export function readDump(text: string, from: number): { json: string; end: number } | undefined {
  let at = from;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) return undefined;
    at = pattern.lastIndex;
    return match.slice(1).find((each) => each !== undefined) ?? '';
  };
  const stringFrom = (first: RegExp, next?: RegExp): string | undefined => {
    let raw = take(first);
    if (raw === undefined) return undefined;
    for (let more = next && take(next); more !== undefined; more = next && take(next)) raw += more;
    return JSON.stringify(unescaped(raw));
  };
  /** What is behind an opening bracket, up to the closing one; undefined ends the dump. */
  const container = (open: string, levels: number): string | undefined => {
    if (levels === 0) return undefined;
    const close = CLOSING[open] as string;
    const pairs: [key: string, value: string][] = [];
    let isList = true;
    for (take(SPACE); text[at] !== close; take(SPACE)) {
      const printed = take(PRINTED_KEY);
      const quoted = printed === undefined ? stringFrom(QUOTED_KEY) : undefined;
      const plain = printed ?? (quoted === undefined ? take(PLAIN_KEY) : undefined);
      const key = plain === undefined ? quoted : JSON.stringify(plain);
      const isText = printed !== undefined && take(PRINTED_CONTAINER) === undefined;
      const value = isText ? printedValue() : valueOf(levels - 1);
      if (value === undefined || (key === undefined && open === '{')) return undefined;
      if (key !== undefined && !/^"\d+"$/.test(key)) isList = false;
      pairs.push([key ?? JSON.stringify(String(pairs.length)), value]);
    }
    at += 1;
    if (isList && (open !== '{' || pairs.length > 0))
      return `[${pairs.map(([, value]) => value).join(',')}]`;
    return `{${pairs.map((pair) => pair.join(':')).join(',')}}`;
  };
  const printedValue = (): string => {
    const line = take(REST_OF_LINE)?.trim() ?? '';
    if (line === '') return 'null';
    return NUMBER.test(line) ? line : JSON.stringify(line);
  };
  const valueOf = (levels: number): string | undefined => {
    const open = take(OPEN);
    if (open !== undefined) return container(open, levels);
    const string = stringFrom(STRING, NEXT_STRING);
    if (string !== undefined) return string;
    const word = take(WORD);
    if (word === undefined) return undefined;
    // No bare word but a symbol of Ruby: console.log cuts a list or an object to `[Object]`.
    const symbol = word.startsWith(':') ? JSON.stringify(word) : undefined;
    return NAMED[word.toLowerCase()] ?? (NUMBER.test(word) ? word : symbol);
  };
  const open = take(OPEN);
  const json = open === undefined ? undefined : container(open, MOST_LEVELS);
  return json === undefined ? undefined : { json, end: at };
}

/** Without the escapes of a string in quotes. */
export function unescaped(raw: string): string {
  return raw.replace(/\\(?:x([\da-f]{2})|u([\da-f]{4})|([^]))/gi, (_, x, u, character) => {
    const digits = x ?? u;
    if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits, 16));
    return ESCAPES[character] ?? character;
  });
}
