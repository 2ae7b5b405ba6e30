import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { globSync } from 'tinyglobby';
import { expect } from 'vitest';
import { answerText } from '../../src/client/index.ts';
import { redactor } from '../../src/redaction.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { startRawServer } from '../support/raw-server.ts';
import { launchFile } from '../support/service.ts';
import { ATTEMPT, jsonAnswer } from './raw-answers.ts';
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

hostile(
  {
    tried: 'bulk runs whose responses are all pages that are slow to parse',
    times: { short: 1, long: 50 },
  },
  async () => {
    const units = ['<', '</', '<!--', '<title', '<script', '<p>&#0', '\\u0041%41&#65;'];
    let asked = 0;
    const service = await startRawServer({
      answer: () => {
        const body = filled(units[asked++ % units.length] ?? '', 64 * KB);
        return [
          `HTTP/1.1 422 Unprocessable Content\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        ];
      },
    });
    const file = join(temporaryFolder(), 'grades.csv');
    const rows = Array.from({ length: 42 }, (_, index) => `m-${index},0.5`);
    writeFileSync(file, ['member,score', ...rows].join('\n'));
    const launch = launchFile(service.origin);
    const args = ['grade', 'submit', '--from', file, '--yes', '--json', '--timeout', '30'];
    const { exit, stdout } = await lectern([...args, '-l', launch]);
    expect(exit).toBe(9);
    const { summary } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    expect(summary).toMatchObject({ rows: 42, refused: 42, in_doubt: 0, not_sent: 0 });
    expect(service.requests).toHaveLength(42);
  },
);

const TOKEN = 'launch-token-canary-1';
const SIGNATURE = 'form/signature+canary=77 x';

/** The token and the signature, each written in the ways in which a service may send them back. */
function echoes(secret: string): string[] {
  const url = encodeURIComponent(secret);
  const each = (write: (code: number) => string): string =>
    [...secret].map((character) => write(character.charCodeAt(0))).join('');
  const base64 = Buffer.from(`user:${secret}`).toString('base64');
  return [
    secret,
    url,
    url.replace(/%../g, (escape) => escape.toLowerCase()),
    url.replaceAll('%20', '+'),
    encodeURIComponent(url),
    each((code) => `%${code.toString(16)}`),
    each((code) => `\\u00${code.toString(16)}`),
    each((code) => `&#${code};`),
    each((code) => `&#x${code.toString(16)};`),
    each((code) => (code % 2 ? `\\u00${code.toString(16)}` : `%${code.toString(16)}`)),
    secret.replaceAll('/', '\\/'),
    base64,
    encodeURIComponent(base64),
    base64.replaceAll('=', ''),
  ];
}

/** Every text that a home and a terminal hold, decoded in every way. */
function decoded(texts: readonly string[]): string {
  const ways: readonly ((text: string) => string)[] = [
    (text) => text.replace(/\\u00([0-9a-f]{2})/gi, (_, code) => unescape(`%${code}`)),
    (text) => unescape(text),
    (text) => text.replaceAll('+', ' '),
    (text) => text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))),
    (text) => text.replace(/&#x([0-9a-f]+);/gi, (_, code) => unescape(`%${code}`)),
    (text) => text.replaceAll('\\/', '/'),
    (text) => text.replace(/[\w+/]{16,}/g, (run) => Buffer.from(run, 'base64').toString('latin1')),
  ];
  let all = texts;
  for (let level = 0; level < 2; level += 1) {
    all = all.flatMap((text) => [text, ...ways.map((way) => way(text))]);
  }
  return all.join('\n');
}

hostile(
  {
    tried: 'a token and signed form values, echoed in every spelling, in each kind of response',
    times: { short: 1, long: 20 },
  },
  async () => {
    let body = '';
    let status = '500 Internal Server Error';
    const form = (origin: string) => ({ url: `${origin}/up`, fields: { sig: SIGNATURE } });
    const service = await startRawServer({
      answer: ({ method, target }) => {
        if (method === 'GET' && target.includes('/f%69les/')) return [jsonAnswer([])];
        if (method === 'PUT') return [jsonAnswer(form(service.origin))];
        const length = Buffer.byteLength(body);
        return [`HTTP/1.1 ${status}\r\ncontent-length: ${length}\r\n\r\n${body}`];
      },
    });
    const launch = launchFile(service.origin);
    const file = join(temporaryFolder(), 'a.bin');
    writeFileSync(file, 'some bytes');
    const home = temporaryFolder();
    const outputs: string[] = [];
    const run = async (...args: string[]): Promise<number> => {
      const { exit, stdout, stderr } = await lectern([...args, '-l', launch], { home });
      outputs.push(stdout, stderr);
      return exit;
    };
    const envelopes: readonly ((echo: string) => string)[] = [
      (echo) => `you sent ${echo}, which is wrong`,
      (echo) => `{"message":"you sent ${echo}","n":1.10}`,
      (echo) => `<html><title>Error</title><p>you sent <b>${echo}</b></p>`,
    ];
    for (const [index, envelope] of envelopes.entries()) {
      for (const echo of sampled(echoes(TOKEN), 3, index)) {
        body = envelope(echo);
        status = '500 Internal Server Error';
        expect(await run('grade', 'submit', '--score', '0.5', '--json')).toBe(10);
        status = '422 Unprocessable Content';
        expect(await run('storage', 'get', 'member')).toBe(7);
        expect(outputs.at(-1)).toMatch(/you sent \S{0,12}\[redacted\]/);
      }
      for (const echo of sampled([...echoes(TOKEN), ...echoes(SIGNATURE)], 3, index)) {
        body = envelope(echo);
        status = '400 Bad Request';
        expect(await run('files', 'upload', 'context', file)).toBe(7);
        expect(outputs.at(-1)).toMatch(/you sent \S{0,12}\[redacted\]/);
      }
    }
    status = '200 OK';
    for (const echo of echoes(TOKEN)) {
      body = JSON.stringify({ ...ATTEMPT, lineitem: 'ECHO' }).replace('ECHO', echo);
      expect(await run('grade', 'submit', '--score', '0.5', '--json')).toBe(0);
      expect(outputs.at(-2)).toContain('[redacted]');
    }
    await run('grade', 'log', '--json');
    const kept = readFileSync(join(home, 'ledger.sqlite')).toString('latin1');
    const wal = join(home, 'ledger.sqlite-wal');
    const all = decoded([...outputs, kept, existsSync(wal) ? readFileSync(wal, 'latin1') : '']);
    expect(all.includes(TOKEN)).toBe(false);
    expect(all.includes(SIGNATURE)).toBe(false);
  },
);
