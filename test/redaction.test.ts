import * as fc from './support/property.ts';
import { describe, expect, test } from 'vitest';
import { redactJson, redactor } from '../src/redaction.ts';

const TOKEN = 'eyJhbGciOiJFUzI1NiJ9.a/b+c~d=_-.Zz09';

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');
const NAMED: Readonly<Record<string, string>> = {
  '/': '&sol;',
  '+': '&plus;',
  '=': '&equals;',
  '.': '&period;',
  _: '&lowbar;',
};

/** Every way in which a service may write one character. */
function spellingsOf(character: string): string[] {
  const code = character.charCodeAt(0);
  return [
    character,
    `\\u${hex(code, 4)}`,
    `\\u${hex(code, 4).toUpperCase()}`,
    `%${hex(code, 2)}`,
    `%${hex(code, 2).toUpperCase()}`,
    `&#${code};`,
    `&#000${code};`,
    `&#x${hex(code, 2)};`,
    `&#X${hex(code, 4).toUpperCase()};`,
    ...(NAMED[character] ? [NAMED[character]] : []),
    ...(character === '/' ? ['\\/'] : []),
    ...(character === ' ' ? ['+'] : []),
  ];
}

const DECODERS: readonly ((text: string) => string)[] = [
  (text) =>
    text.replace(/\\u([0-9a-f]{4})|\\([^u])/gi, (_, code, other) =>
      code ? String.fromCharCode(Number.parseInt(code, 16)) : other,
    ),
  (text) => text.replace(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(parseInt(code, 16))),
  (text) => text.replaceAll('+', ' '),
  (text) => text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))),
  (text) => text.replace(/&#x([0-9a-f]+);/gi, (_, code) => String.fromCharCode(parseInt(code, 16))),
  (text) => Object.entries(NAMED).reduce((all, [plain, name]) => all.replaceAll(name, plain), text),
  (text) =>
    text.replace(/[\w+/-]{8,}={0,2}/g, (run) =>
      [0, 1, 2, 3]
        .map((skip) => Buffer.from(run.slice(skip), 'base64').toString('latin1'))
        .join('|'),
    ),
];

/** All that a text says to somebody who decodes it again and again, in any order. */
function readings(text: string, levels: number, seen = new Set<string>()): Set<string> {
  if (seen.has(text)) return seen;
  seen.add(text);
  if (levels > 0) for (const decode of DECODERS) readings(decode(text), levels - 1, seen);
  return seen;
}

function expectHidden(text: string, secret: string): void {
  for (const reading of readings(text, 3)) expect(reading.includes(secret)).toBe(false);
}

const secrets = fc.oneof(
  fc.constant(TOKEN),
  fc.string({
    minLength: 8,
    maxLength: 40,
    unit: fc.constantFrom(...'abcXYZ0189-._~+/=!$'),
  }),
);
const around = fc.string({ maxLength: 20, unit: fc.constantFrom(...'ab "<:,{}\n') });
/** A secret, and a text that holds it with each character written in some way. */
const written = secrets.chain((secret) =>
  fc
    .tuple(
      around,
      fc.tuple(...[...secret].map((each) => fc.constantFrom(...spellingsOf(each)))),
      around,
    )
    .map(([before, spelled, after]) => ({ secret, before, spelled: spelled.join(''), after })),
);

test('a secret is redacted in any mixture of spellings', () => {
  fc.assert(
    fc.property(written, ({ secret, before, spelled, after }) => {
      const text = `${before}${spelled}${after}`;
      const redacted = redactor(['another-secret', secret])(text);
      expectHidden(redacted, secret);
      expect(redacted).toBe(`${before}[redacted]${after}`);
    }),
    fc.runs(100),
  );
});

test('a secret is redacted next to the start of an escape', () => {
  const begun = fc.string({ maxLength: 12, unit: fc.constantFrom(...'%\\u&#x;04126f+ ') });
  fc.assert(
    fc.property(begun, written, begun, (before, { secret, spelled }, after) => {
      expectHidden(redactor([secret])(`${before}${spelled}${after}`), secret);
    }),
    fc.runs(100),
  );
});

test('overlapping, nested and adjacent secrets are redacted together', () => {
  const redact = redactor(['abcd-efgh', 'efgh-ijkl', 'efgh-ijkl-mnop', 'qrst-uvwx']);
  expect(redact('<abcd-efgh-ijkl-mnopqrst-uvwx>')).toBe('<[redacted]>');
});

test('a secret that is longer than a regular expression may be is redacted', () => {
  const secret = Array.from({ length: 40_000 }, (_, at) => at.toString(36)).join('');
  expect(redactor(['another', secret])(`<${secret}>`)).toBe('<[redacted]>');
});

test('a secret of a known form is replaced by the text of a callback, in any spelling', () => {
  const redact = redactor([], { form: '[lp]t_[a-z]{32}', shown: (text) => `${text.slice(0, 2)}…` });
  const token = `lt_${'a'.repeat(32)}`;
  expect(redact(`x_${token} pt_short`)).toBe('x_lt… pt_short');
  expect(redact(`%3D${encodeURIComponent(token).replace('_', '%5F')}&`)).toBe('%3Dlt…&');
});

test('a secret is redacted in base64, whatever precedes and follows it', () => {
  fc.assert(
    fc.property(
      secrets,
      fc.string({ maxLength: 9 }),
      fc.string({ maxLength: 9 }),
      (secret, a, b) => {
        for (const encoding of ['base64', 'base64url'] as const) {
          const text = `Basic ${Buffer.from(`${a}:${secret}${b}`).toString(encoding)} sent`;
          const redacted = redactor([secret])(text);
          expect(redacted).toContain('[redacted]');
          expectHidden(redacted, secret);
        }
      },
    ),
    fc.runs(100),
  );
});

describe('a secret that is encoded more than once', () => {
  const cases: Readonly<Record<string, string>> = {
    'percent three times': encodeURIComponent(encodeURIComponent(encodeURIComponent(TOKEN))),
    'base64 in a URL': encodeURIComponent(Buffer.from(`user:${TOKEN}`).toString('base64')),
    'HTML in JSON': JSON.stringify(`<b>${TOKEN.replaceAll('/', '&#x2F;')}</b>`),
    'JSON in JSON': JSON.stringify(JSON.stringify({ token: TOKEN }).replaceAll('/', '\\/')),
    'a form in a URL': encodeURIComponent(new URLSearchParams({ token: TOKEN }).toString()),
  };
  for (const [name, text] of Object.entries(cases)) {
    test(`is redacted: ${name}`, () => {
      const redacted = redactor([TOKEN])(text);
      expect(redacted).toContain('[redacted]');
      expectHidden(redacted, TOKEN);
    });
  }
});

describe('redaction of JSON', () => {
  test('gives JSON, and changes no values but strings', () => {
    fc.assert(
      fc.property(written, fc.json(), ({ secret, spelled }, json) => {
        const inside = JSON.stringify(spelled);
        const text = `{"a":${inside},"${secret.replaceAll('"', '')}":1,"n":1.10,"j":${json}}`;
        const redacted = redactJson(text, redactor([secret]));
        expect(() => JSON.parse(redacted) as unknown).not.toThrow();
        expect(redacted).toContain('"n":1.10');
        expectHidden(redacted, secret);
      }),
    );
  });

  test('gives JSON for a credential that is a number or half an escape', () => {
    expect(redactJson('{"id":"x12345678y","n":12345678}', redactor(['12345678']))).toBe(
      '{"id":"x[redacted]y","n":12345678}',
    );
    const broken = redactJson('{"a":"x\\u0041BCDEFG"}', redactor(['0041BCDEFG']));
    expect(JSON.parse(broken)).toEqual({ a: 'xABCDEFG' });
    expect(JSON.parse(redactJson('{"a":"\\\\u0041BCDEFG"}', redactor(['u0041BCDEFG'])))).toEqual({
      a: '\\[redacted]',
    });
  });
});

test('redaction does not change a text without a secret', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab%4\\u0&#x;+"/ ') }), (text) => {
      expect(redactor(['another-secret'])(text)).toBe(text);
    }),
  );
});
