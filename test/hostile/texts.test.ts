import { readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';
import { globSync } from 'tinyglobby';
import { expect } from 'vitest';
import { answerText } from '../../src/client/index.ts';
import { redactor } from '../../src/redaction.ts';
import { hostileCases, sampled } from './support.ts';

const hostile = hostileCases('Texts');

/** Milliseconds of CPU that the quickest of a few runs takes, or the first that takes less than `enough`. */
function cpuMs(work: () => unknown, enough = 0): number {
  let least = Infinity;
  for (let run = 0; run < 5 && least >= enough; run += 1) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** What takes no longer than this grows in no way that matters: a square would take seconds. */
const LITTLE_MS = 150;

/** Fails where four times the text takes much more than four times as long. */
function expectLinear(name: string, work: (size: number) => unknown, size: number): void {
  const large = cpuMs(() => work(size), LITTLE_MS);
  if (large < LITTLE_MS) return;
  const growth =
    large /
    Math.max(
      1,
      cpuMs(() => work(size / 4)),
    );
  expect(`${name}: ${growth < 8 ? 'linear' : `${growth} times as long`}`).toBe(`${name}: linear`);
}

const KB = 1024;
const filled = (unit: string, size: number, first = ''): string =>
  first + unit.repeat(Math.ceil(size / unit.length)).slice(0, size);

/** What costs the most to read, of any size. */
const PAGES: Readonly<Record<string, (size: number) => string>> = {
  ...Object.fromEntries(
    [
      '<style ',
      '<a b="',
      '<a b>',
      ' ',
      '\n',
      'over the ',
      'size ',
      ...String.raw`< </ <!-- <! <? <![CDATA[ <title <title> </title> <script <script> </script <Message> <h1>
        <p> </p> <b> & &# &#0 &#x &lt &lt; \u0041 \ % %41 %e2%82 " {"a": [ {"message":"`.split(
        /\s+/,
      ),
    ].map((unit) => [unit, (size: number) => filled(unit, size)]),
  ),
  '<script> and </scrip': (size) => filled('</scrip', size, '<script>'),
  '<!-- and -': (size) => filled('-', size, '<!--'),
  '<![CDATA[ and ]': (size) => filled(']', size, '<![CDATA['),
  '& and 0': (size) => filled('0', size, '<p>&#'),
  'all escapes': (size) => filled('%26%2523x25;\\u005cu0025&#37;34', size),
  'deep JSON': (size) => filled('{"errors":[', size),
};

hostile(
  {
    tried: 'error bodies of 64 KB that are slow to parse',
    size: { short: Object.keys(PAGES).length / 2, long: Object.keys(PAGES).length },
    limitMs: 300_000,
  },
  () => {
    const redact = redactor(['launch-token-canary-1', 'a signature', '%26%2523x25']);
    for (const [name, page] of sampled(Object.entries(PAGES), 2)) {
      const read = (size: number) => answerText(Buffer.from(`<${page(size)}`), redact);
      expectLinear(name, (size) => answerText(Buffer.from(page(size)), redact), 64 * KB);
      expectLinear(`< and ${name}`, read, 64 * KB);
      expectLinear(`${name}, redacted`, (size) => redact(page(size)), 64 * KB);
    }
  },
);

/** Regular expressions that meet no text but our own, with the reason. */
const OWN = new Map([
  ['/\\B(?=(\\d{3})+$)/g', 'the digits of one of our counts'],
  [String.raw`/"(?:[^"\\]|\\.)*"/gs`, 'the strings of an answer that is JSON, which all end'],
]);

/** Every regular expression that is written in src. */
function expressions(): RegExp[] {
  const found = new Map<string, RegExp>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { regex } = node as { regex?: { pattern: string; flags: string } };
    if (regex)
      found.set(`/${regex.pattern}/${regex.flags}`, new RegExp(regex.pattern, regex.flags));
    for (const child of Object.values(node)) visit(child);
  };
  for (const file of globSync('src/**/*.{ts,tsx}')) {
    visit(parseSync(file, readFileSync(file, 'utf8')).program);
  }
  return [...found].filter(([name]) => !OWN.has(name)).map(([, regex]) => regex);
}

/**
 * Texts that a regular expression may be long about: what it is made of, one by one and up to three
 * together, and the beginnings of that.
 */
function pumps({ source }: RegExp): string[] {
  const plain = source
    .replace(/\(\?(?:[:=!]|<[=!])/g, '(')
    .replace(/\\p\{\w+\}|\\b|\\u\{?\w+\}?|\\x\w\w/gi, '')
    .replace(/\[\^(?:\\.|[^\]\\])*\]/g, 'a')
    .replace(/\[((?:\\.|[^\]\\])*)\]/g, (_, members: string) => members.slice(0, 2).slice(-1))
    .replace(/\\[sdw]/gi, (each) => ({ '\\s': ' ', '\\d': '0', '\\w': 'a' })[each] ?? '-')
    .replace(/\\(.)/g, '$1')
    .replace(/[*+?^$.]|\{\d+,?\d*\}/g, '');
  const runs = plain.split(/[()|]/).filter((run) => run !== '');
  const joined = runs.flatMap((run, at) => {
    const next = ['', ...runs.slice(at + 1, at + 4)];
    return next.flatMap((second, place) =>
      ['', ...next.slice(place + 1)].map((third) => run + second + third),
    );
  });
  const begun = joined.flatMap((each) => [...each].map((_, at) => each.slice(0, at + 1)));
  return [...new Set([...begun, ...plain, ...'0a -/<"\\\n'])];
}

hostile(
  {
    tried: 'every regular expression in src, with 32 KB of its slowest input',
    // Its measurements need a machine that does nothing else.
    times: { short: 0, long: 1 },
    limitMs: 300_000,
  },
  () => {
    const all = expressions();
    expect(all.length).toBeGreaterThan(100);
    for (const regex of all) {
      for (const unit of pumps(regex)) {
        for (const last of ['', '\0', '\n']) {
          const read = (size: number) => (filled(unit, size) + last).replace(regex, '');
          const started = performance.now();
          read(32 * KB);
          if (performance.now() - started < LITTLE_MS) continue;
          expectLinear(`${String(regex)} with ${JSON.stringify(unit)}`, read, 32 * KB);
        }
      }
    }
  },
);
