/** The texts in which a launch is found, and those in which it is not. */
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Claims } from '../../src/contract/claims.ts';
import { claimsFromText, type LaunchForm } from '../../src/contract/launch-text.ts';

const base = 'https://service.example';
const CLAIMS = {
  iss: base,
  launch_id: 'l-1',
  api: { token: 'token-1', expires: 1_791_849_600_000, idle: 43_200 },
  storage: { context: `${base}/rows/c?x=%2e&y=d`, member: `${base}/rows/m` },
  grade: { submit: `${base}/contexts/c1/members/m1` },
  user: { member: 'm1', groups: ['instructor', 'Section 2'], email: null, full_name: 'Åse Berg' },
  context: 'c1',
  course: { title: 'Biology 語' },
};
const HEADER = { alg: 'RS256', kid: 'Schlüssel', typ: 'JWT' };

const json = (value: unknown): string => JSON.stringify(value);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const part = (text: string): string => Buffer.from(text).toString('base64url');
const tokenOf = (payload: unknown): string =>
  `${part(json(HEADER))}.${part(json(payload))}.${part('signature')}`;
const escaped = (text: string): string => text.replaceAll('"', '\\"');
const wrapped = (text: string, width: number): string =>
  text.match(new RegExp(`.{1,${width}}`, 'gu'))?.join('\n') ?? '';
const quoted = (text: string): string => text.replaceAll(/^/gm, '> ');

const JSON_TEXT = json(CLAIMS);
const INDENTED = JSON.stringify(CLAIMS, null, 2);
const JSON_LINES = INDENTED.split('\n');
const TOKEN = tokenOf(CLAIMS);
const URL_BASE = 'https://tool.example/launch';

const lines = (prefix: (line: number) => string): string =>
  JSON_LINES.map((line, at) => prefix(at) + line).join('\n');
const linked = (link: (address: string) => string): string =>
  INDENTED.replaceAll(/https:[^"]*/g, link);
const safeLink = (address: string): string =>
  `https://eur01.safelinks.protection.outlook.com/?url=${encodeURIComponent(address)}&data=05%7C01&reserved=0`;
const escapedHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
const quotedPrintable = (text: string): string =>
  text.replaceAll('=', '=3D').replace(/(.{70})/g, '$1=\r\n');
const mail = (type: string, encoding: string, body: string): string =>
  `From: ada@example.org\r\nSubject: launch\r\nMIME-Version: 1.0\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}`;
const HTML = `<html><body><p>Hello,</p><pre>${escapedHtml(INDENTED)}</pre></body></html>`;
const MIXED = `multipart/mixed; boundary="b1"`;

const FORMS: Readonly<Record<LaunchForm, Readonly<Record<string, string>>>> = {
  json: {
    'compact JSON': JSON_TEXT,
    'indented JSON': INDENTED,
    'JSON after a byte order mark': `\ufeff${JSON_TEXT}`,
    'lists and objects around it': json({ a: [{ b: [{ c: { d: { e: CLAIMS } } }] }] }),
    'an object next to other members': json({ ok: true, at: null, list: [1], launch: CLAIMS }),
    'an object under a wrapper that has its own user': json({ user: { id: 5 }, launch: CLAIMS }),
    'JSON with a comment': `// launch\n${JSON_TEXT}`,
    'a log line': `12:00 INFO launch {user} claims=${JSON_TEXT} in 3 ms`,
    'a string of a log line': `{"level":"info","msg":"launch ${escaped(JSON_TEXT)}"}`,
    'escapes in a log line': `INFO claims="${escaped(JSON_TEXT)}" ok`,
    'JSON wrapped over lines': wrapped(JSON_TEXT, 76),
    'JSON wrapped within names': INDENTED.replace('Åse Berg', 'Åse\n  Berg'),
    'JSON quoted with >': quoted(INDENTED),
    'JSON quoted twice and wrapped': quoted(quoted(wrapped(JSON_TEXT, 70))),
    'docker compose': lines(() => 'web-1  | '),
    'docker compose, between lines of another service': `db-1   | ready\n${lines((at) => (at === 3 ? 'db-1   | checkpoint\nweb-1  | ' : 'web-1  | '))}`,
    syslog: lines((at) => `Oct 12 10:00:${10 + at} web tool[812]: `),
    journald: lines((at) => `2026-10-12T10:00:${10 + at}+0000 web node[7]: `),
    'kubectl --timestamps': lines((at) => `2026-10-12T10:00:01.${100 + at}Z `),
    'a diff that removes it': `diff --git a/l.json b/l.json\n--- a/l.json\n+++ /dev/null\n@@ -1,9 +0,0 @@\n${lines(() => '-')}`,
    'a diff': `@@ -1,2 +1,9 @@\n-{"api": {}}\n${lines((at) => (at === 2 ? ' ' : '+'))}`,
    'heroku, with milliseconds of any length': lines(
      (at) => `10:00:01.${996 + at * 2}+00:00 app[web.1]: `,
    ),
    'a diff of a failed test, after its stack': `    at 1\n${lines(() => '- ')}`,
    'output of a test in TAP': `    ---\n${lines(() => '    # ')}\n    ...`,
    'cat -n': lines((at) => `${at + 1}\t`.padStart(7)),
    'grep -n': lines((at) => `app.log:${at + 8}:`),
    'a terminal with colors': INDENTED.replaceAll(/"[^"]*"/g, '\u001b[32m$&\u001b[39m'),
    'highlighted JSON of a page': `<pre>${INDENTED.replaceAll(/"[^"]*"/g, '<i>$&</i>')}</pre>`,
    'HTML-escaped JSON': `<td>${escapedHtml(JSON_TEXT)}</td>`,
    'an attribute of HTML in single quotes': `<input value='${JSON_TEXT.replaceAll('&', '&amp;')}'>`,
    'addresses with &amp;': JSON_TEXT.replaceAll('&', '&amp;'),
    'addresses of Safe Links': linked((address) => safeLink(address)),
    'addresses of Safe Links, in a mail as text': linked((url) => `${url}<${safeLink(url)}>`),
    'addresses as links of Slack': linked((address) => `<${address}|${address}>`),
    'addresses as links of Markdown': linked((address) => `[${address}](${address})`),
    'a cookie': `launch=${encodeURIComponent(JSON_TEXT)}; Path=/; HttpOnly`,
    'a cell of CSV': `id,launch\n1,"${JSON_TEXT.replaceAll('"', '""')}"\n`,
    'a body of a Postman collection': json({ item: [{ request: { body: { raw: INDENTED } } }] }),
    'a body within text': `body: "${escaped(INDENTED).replaceAll('\n', '\\n')}"`,
    'a log of nginx': `POST /launch "${JSON_TEXT.replaceAll('"', '\\x22')}"`,
    'Copy as cURL (cmd)': `curl ^"${URL_BASE}^" ^\n  --data-raw ^"${escaped(JSON_TEXT).replaceAll(/[^\w .:/=?-]/g, '^$&')}^"`,
    'Copy as PowerShell': `-Body "${JSON_TEXT.replaceAll('"', '`"')}"`,
    'a mail': mail('text/plain', '7bit', `Hi,\r\n${JSON_LINES.join('\r\n')}\r\n`),
    'a mail in ISO-8859-1': mail(
      'text/plain; charset="iso-8859-1"',
      'quoted-printable',
      INDENTED.replaceAll('=', '=3D').replace('語', '\\u8a9e').replace('Å', '=C5'),
    ),
    'the HTML part of a mail': mail(
      MIXED,
      '7bit',
      `--b1\r\nContent-Type: text/html\r\n\r\n${HTML}\r\n--b1--\r\n`,
    ),
  },
  token: {
    'a token': TOKEN,
    'a token without a signature': `${part(json(HEADER))}.${part(JSON_TEXT)}.`,
    'a token around a wrapper': tokenOf({ 'https://x.example/claims': CLAIMS }),
    'a token in a header line': `Authorization: Bearer ${TOKEN}`,
    'a token in JSON': json({ id_token: TOKEN }),
    'a token wrapped over lines': wrapped(TOKEN, 76),
    'a token continued over lines': wrapped(TOKEN, 76).replaceAll('\n', '\\\n'),
    'a token with spaces in it': wrapped(TOKEN, 40).replaceAll('\n', ' \u00a0'),
    'a token in a multipart form of Copy as cURL': `--data-raw $'--b\\r\\nname="t"\\r\\n\\r\\n${TOKEN}\\r\\n--b--\\r\\n'`,
    'a token with what a chat puts in': wrapped(TOKEN, 40).replaceAll('\n', '\u200b\u00ad\ufeff'),
    'a wrapped token in a mail': `Hello,\n\n${wrapped(TOKEN, 76)}\n\nRegards, Åse`,
    'a token in a quoted-printable mail': mail(
      'text/plain; charset=utf-8',
      'quoted-printable',
      quotedPrintable(`Hi ${TOKEN} bye`),
    ),
    'a token in a mail of an unknown charset': mail(
      'text/plain; charset=unknown',
      'base64',
      base64(TOKEN),
    ),
    'a token in a base64 mail': mail('text/plain', 'base64', base64(`> ${TOKEN}`)),
    'a token in the source of a mail': `Hi,\r\n\r\nlaunch_token=3D${quotedPrintable(TOKEN)}\r\n`,
    'a sentence that ends with the token': `The token is ${TOKEN}.`,
  },
  url: {
    'a token in a query': `${URL_BASE}?state=1&token=${TOKEN}`,
    'a token in a path': `${URL_BASE}/${TOKEN}/`,
    'JSON in a query': `${URL_BASE}?claims=${encodeURIComponent(JSON_TEXT)}`,
    'base64 in a query': `${URL_BASE}?l=${encodeURIComponent(base64(JSON_TEXT))}`,
  },
  form: {
    'a token in a form body': `state=abc&launch=${TOKEN}`,
    'JSON in a form body': new URLSearchParams({ launch: JSON_TEXT }).toString(),
  },
  base64: {
    base64: base64(JSON_TEXT),
    'base64 on several lines': base64(JSON_TEXT).replace(/.{76}/g, '$&\r\n'),
    base64url: part(JSON_TEXT),
    'base64 of a token': base64(TOKEN),
    'quoted base64': quoted(wrapped(base64(JSON_TEXT), 76)),
  },
};

describe.each(Object.entries(FORMS))('a launch of the form %s', (form, texts) => {
  test.each(Object.entries(texts))('is found in %s', (from, text) => {
    const read = claimsFromText(text);
    expect(read).toMatchObject({ form, claims: expect.anything() });
    expect(read).toHaveProperty('claims', CLAIMS);
    expect(read).not.toHaveProperty('hasSecond');
    if (from.includes('token')) expect(read).toMatchObject({ header: HEADER });
    else expect(read).not.toHaveProperty('header');
  });
});

function printed(value: unknown, indent = ''): string {
  if (value === null || typeof value !== 'object') return String(value ?? '');
  const name = Array.isArray(value) ? 'Array' : 'stdClass Object';
  const members = Object.entries(value).map(
    ([key, inner]) => `${indent}    [${key}] => ${printed(inner, `${indent}        `)}\n`,
  );
  return `${name}\n${indent}(\n${members.join('')}${indent})\n`;
}

/** As PHP dumps a value: its scalars by `scalar`, the rest by `open` and `member`. */
function dumped(
  value: unknown,
  scalar: (value: string | number) => string,
  open: (size: number) => string,
  member: (key: string, inner: string) => string,
): string {
  if (value === null) return 'NULL';
  if (typeof value !== 'object') return scalar(value as string);
  const members = Object.entries(value).map(([key, inner]) =>
    member(Array.isArray(value) ? key : json(key), dumped(inner, scalar, open, member)),
  );
  return `${open(members.length)}${members.join('')}`;
}

const isText = (value: string | number): value is string => typeof value === 'string';
const symfony = dumped(
  CLAIMS,
  (value) => JSON.stringify(value),
  (size) => `array:${size} [▼ // app/launch.php:12\n`,
  (key, inner) => `${key} => ${inner}${inner.startsWith('array') ? ']' : ''}\n`,
).concat(']');
const DUMPS = {
  'console.log': `launch: ${inspect(CLAIMS, { depth: 5 })}`,
  'console.log in a log': inspect(CLAIMS).replaceAll(/^/gm, 'web-1  | '),
  'print of Python': `launch = ${JSON_TEXT.replaceAll('"', "'").replaceAll('null', 'None').replaceAll(',', ', ')}`,
  'pprint of Python': JSON_TEXT.replaceAll('"', "'")
    .replaceAll('null', 'None')
    .replaceAll(',', ',\n ')
    .replace('Åse Berg', "Åse '\n   'Berg"),
  'p of Ruby': JSON_TEXT.replaceAll('":', '"=>').replaceAll('null', 'nil'),
  'p of Ruby with symbols': JSON_TEXT.replaceAll(/"(\w+)":/g, ':$1=>').replaceAll('null', 'nil'),
  'print_r of PHP': printed(CLAIMS),
  'var_dump of PHP': dumped(
    CLAIMS,
    (value) => (isText(value) ? `string(${value.length}) "${value}"` : `int(${value})`),
    (size) => `array(${size}) {\n`,
    (key, inner) => `[${key}]=>\n${inner}${inner.startsWith('array') ? '}' : ''}\n`,
  ).concat('}'),
  'dd of Laravel': symfony,
  'dump of Symfony, with an object': symfony
    .replaceAll(/^(?=")/gm, '+')
    .replace(/array:(\d+) \[.*/, '{#$1')
    .replace(/\]$/, '}'),
  'var_export of PHP': dumped(
    CLAIMS,
    (value) => (isText(value) ? `'${value}'` : String(value)),
    () => 'array (\n',
    (key, inner) =>
      `${key.replaceAll('"', "'")} => ${inner}${inner.startsWith('array') ? ')' : ''},\n`,
  ).concat(')'),
};

test.each(Object.entries(DUMPS))('a launch is found in the output of %s', (_, text) => {
  expect(claimsFromText(text)).toMatchObject({ claims: CLAIMS });
});

const CUT = 'it ends too early';
test.each<[name: string, text: string, fault?: string | RegExp]>([
  ['nothing', '', 'empty'],
  ['white space', ' \n\ufeff', 'empty'],
  ['null', 'null'],
  ['a number', '5', 'neither'],
  ['an object without a known name', '{"a":{"b":1}}', 'no launch claims'],
  [
    'claims 11 levels down',
    Array(11)
      .fill('a')
      .reduce((inner, name) => json({ [name]: JSON.parse(inner) }), JSON_TEXT),
  ],
  ['a token without claims', tokenOf({ sub: 'x' }), 'no launch claims'],
  ['a token whose payload is not JSON', `${part('{}')}.${part('{')}.x`],
  ['a token whose payload is not base64url', `${part('{}')}.a.x`, 'base64url'],
  ['a token whose header is not JSON', `${part('x')}.${part(JSON_TEXT)}.x`],
  ['an encrypted token', 'a.b.c.d.e', 'encrypted'],
  ['a version number', '1.2.3'],
  ['two parts of a token', `${part('{}')}.${part(JSON_TEXT)}`],
  ['prose', 'no launch here', 'neither JSON nor'],
  ['a word of dumps, very often', 'array '.repeat(100_000), 'neither JSON nor'],
  ['a URL', 'https://tools.example/launch?x=1', 'URL without a launch'],
  ['a prefix of numbers', `${'1 '.repeat(40)}x {"a" 1\n${'1'.repeat(90)}\n`, CUT],
  ['brackets of dumps that do not close', 'array('.repeat(40), 'neither JSON nor'],
  ['a string of many short lines', `{"a":"${'word\n'.repeat(100_000)}"}`, 'line 1, column 11'],
  ['base64 of another text', base64('hello there, you'), 'neither'],
  ['base64 six times', Array(6).fill(0).reduce<string>(base64, JSON_TEXT)],
  ['curly quotes', JSON_TEXT.replaceAll('"', '”'), 'curly quotes'],
  ['curly single quotes', JSON_TEXT.replaceAll(/"([^"]*)"/g, '‘$1’'), 'curly quotes'],
  ['JSON that is cut', JSON_TEXT.slice(0, -1), CUT],
  ['JSON that is cut in a log line', `INFO launch ${JSON_TEXT.slice(0, 200)}... (truncated)`, CUT],
  ['an object as a console shows it', 'Object { iss: "https://x", api: {…} }', 'left out'],
  ['console.log at its usual depth', inspect({ claims: CLAIMS }), 'left out'],
  ['console.log without the token', inspect({ req: { body: CLAIMS } }), 'left out'],
  ['console.log with a long list', `{ api: { ids: [ 1, 2, ... 98 more items ] } }`, 'left out'],
  ['JSON with a part left out', INDENTED.replace(/\{[^{}]*\}/, '{...}'), 'left out'],
  ['JSON that is cut in its wrapper', `{"launch":${JSON_TEXT}`, CUT],
  ['a token without its last part', TOKEN.replace(/\.[^.]*$/, ''), CUT],
  ['a token with its middle left out', `${TOKEN.slice(0, 60)}...${TOKEN.slice(-20)}`, 'left out'],
  ['a wrapped token that is cut', wrapped(TOKEN.slice(0, 200), 76), CUT],
  ['a cut token', TOKEN.slice(0, 60), CUT],
  ['a cut token in a sentence', `The token is ${TOKEN.slice(0, 60)}… and it fails`, CUT],
  [
    'a cut token in a mail',
    mail('text/plain', '7bit', `Hi,\r\n\r\n${TOKEN.slice(0, 80)}\r\n`),
    CUT,
  ],
  ['an error before the end', `{"iss" 5,${JSON_TEXT.slice(1)}`, 'line 1, column 8'],
  ['an error in the second line', '{"api": {\n  "token": token-1 }}', 'line 2, column 12'],
])('no launch is found in %s, and the fault quotes nothing', (_name, text, fault = /\w/) => {
  const read = claimsFromText(text);
  expect(read).toEqual({ fault: expect.stringMatching(fault) });
  expect(JSON.stringify(read)).not.toContain('token-1');
});

describe('the claims of a text', () => {
  const read = (text: string): Claims | string => {
    const found = claimsFromText(text);
    return 'fault' in found ? found.fault : found.claims;
  };

  test('may have names with dots, which are nested claims, and keep other such names', () => {
    const { api, user, ...others } = CLAIMS;
    const dotted = Object.entries({ api, user }).flatMap(([outer, inner]) =>
      Object.entries(inner).map(([name, value]) => [`${outer}.${name}`, value]),
    );
    expect(read(json({ ...others, ...Object.fromEntries(dotted) }))).toEqual(CLAIMS);
    const mixed = { api: { token: 'secret' }, 'api.idle': 5, 'grade.submit': null };
    expect(read(json(mixed))).toEqual({
      api: { token: 'secret', idle: 5 },
      grade: { submit: null },
    });
    const own = { api: {}, 'x.y': 1, 'api.token.x': 2, 'https://e/api.token': 3, 'Api.Token': 4 };
    expect(read(json(own))).toEqual(own);
  });

  test('do not change the prototype of objects', () => {
    const claims = read(
      '{"api":{},"__proto__":{"polluted":1},"api.__proto__":{"polluted":1},"__proto__.polluted":1,"constructor.prototype":{"polluted":1}}',
    ) as Claims;
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(claims.polluted).toBeUndefined();
    expect(Object.getPrototypeOf(claims)).toBe(Object.prototype);
  });

  test('may be deeply nested or have many members', () => {
    const deep = (levels: number): string =>
      `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)},"iss":"x"}`;
    expect(read(deep(1000))).toMatchObject({ iss: 'x' });
    for (const text of [deep(1001), deep(50_000), `e30.${btoa(deep(50_000))}.`]) {
      expect(read(text)).toBe('it has more than 1000 levels: flatten the nesting');
    }
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, {}]));
    expect(read(json({ ...wide, launch: CLAIMS }))).toEqual(CLAIMS);
  });
});
