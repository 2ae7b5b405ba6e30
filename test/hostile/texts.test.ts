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
  const small = cpuMs(() => work(size / 4));
  const growth = large / Math.max(1, small);
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
