import { expect } from 'vitest';
import { answerText } from '../../src/client/index.ts';
import { redactor } from '../../src/redaction.ts';
import { hostileCases } from './support.ts';

const hostile = hostileCases('Texts');

/** A text of this length takes a few milliseconds, and where it grew with its square, many seconds. */
const LENGTH = 128 * 1024;
const MOST_MS = 1_000;

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
    tried: 'error bodies that are slow to parse',
  },
  () => {
    const redact = redactor(['launch-token-canary-1', 'a signature', '%26%2523x25']);
    for (const [name, page] of Object.entries(PAGES)) {
      const text = page(LENGTH);
      const before = process.cpuUsage();
      answerText(Buffer.from(text), redact);
      answerText(Buffer.from(`<${text}`), redact);
      redact(text);
      const { user } = process.cpuUsage(before);
      expect(user / 1000, name).toBeLessThan(MOST_MS);
    }
  },
);
