import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { claimsFromText } from '../../src/contract/index.ts';

const CLAIMS = {
  iss: 'https://service.example',
  context: 'c-1',
  launch_id: 'l-1',
  user: { member: 'm-1', groups: ['student'], full_name: null },
  storage: { member: 'https://service.example/rows/1?a=b&c=d' },
  api: { token: 'token-1', expires: 1791849600000 },
};
const JSON_LINES = JSON.stringify(CLAIMS, null, 2).split('\n');
const encoded = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');
const TOKEN = `${encoded({ alg: 'RS256' })}.${encoded(CLAIMS)}.c2lnbmF0dXJl`;

const lines = (prefix: (line: number) => string): string =>
  JSON_LINES.map((line, at) => prefix(at) + line).join('\n');
const escapedHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
const quotedPrintable = (text: string): string =>
  text.replaceAll('=', '=3D').replace(/(.{70})/g, '$1=\r\n');
const mail = (type: string, encoding: string, body: string): string =>
  `From: ada@example.org\r\nSubject: launch\r\nMIME-Version: 1.0\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}`;
const HTML = `<html><body><p>Hello,</p><pre>${escapedHtml(JSON_LINES.join('\n'))}</pre></body></html>`;
const MIXED = `multipart/mixed; boundary="b1"`;

const PYTHON = JSON.stringify(CLAIMS)
  .replaceAll('"', "'")
  .replaceAll('null', 'None')
  .replaceAll(',', ', ');
const RUBY = JSON.stringify(CLAIMS).replaceAll('":', '"=>').replaceAll('null', 'nil');
const RUBY_SYMBOLS = JSON.stringify(CLAIMS)
  .replaceAll(/"(\w+)":/g, ':$1=>')
  .replaceAll('null', 'nil');

function printed(value: unknown, indent = ''): string {
  if (value === null || typeof value !== 'object') return String(value ?? '');
  const name = Array.isArray(value) ? 'Array' : 'stdClass Object';
  const members = Object.entries(value).map(
    ([key, inner]) => `${indent}    [${key}] => ${printed(inner, `${indent}        `)}\n`,
  );
  return `${name}\n${indent}(\n${members.join('')}${indent})\n`;
}

function varDumped(value: unknown): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return `string(${value.length}) "${value}"`;
  if (typeof value === 'number') return `int(${value})`;
  const members = Object.entries(value as object).map(([key, inner]) =>
    Array.isArray(value)
      ? `[${key}]=>\n${varDumped(inner)}\n`
      : `["${key}"]=>\n${varDumped(inner)}\n`,
  );
  return `array(${members.length}) {\n${members.join('')}}`;
}

function varExported(value: unknown): string {
  if (value === null) return 'NULL';
  if (typeof value !== 'object') return typeof value === 'string' ? `'${value}'` : String(value);
  const members = Object.entries(value).map(
    ([key, inner]) => `${Array.isArray(value) ? key : `'${key}'`} => ${varExported(inner)},\n`,
  );
  return `array (\n${members.join('')})`;
}

test.each([
  { from: 'docker compose', text: lines(() => 'web-1  | ') },
  { from: 'docker compose, behind words', text: lines((at) => `web-1  | ${at ? '' : 'launch: '}`) },
  {
    from: 'docker compose, between lines of another service',
    text: `db-1   | ready\n${lines((at) => (at === 3 ? 'db-1   | checkpoint\nweb-1  | ' : 'web-1  | '))}`,
  },
  { from: 'syslog', text: lines((at) => `Oct 12 10:00:${10 + at} web tool[812]: `) },
  { from: 'journald', text: lines((at) => `2026-10-12T10:00:${10 + at}+0000 web node[7]: `) },
  { from: 'kubectl --timestamps', text: lines((at) => `2026-10-12T10:00:01.${100 + at}Z `) },
  {
    from: 'a diff',
    text: `@@ -1,2 +1,9 @@\n-{"api": {}}\n${lines((at) => (at === 2 ? ' ' : '+'))}`,
  },
  { from: 'console.log', text: `launch: ${inspect(CLAIMS, { depth: 5 })}` },
  { from: 'console.log in a log', text: inspect(CLAIMS).replaceAll(/^/gm, 'web-1  | ') },
  { from: 'print of Python', text: `launch = ${PYTHON}` },
  { from: 'p of Ruby', text: RUBY },
  { from: 'p of Ruby with symbols', text: RUBY_SYMBOLS },
  { from: 'print_r of PHP', text: printed(CLAIMS) },
  { from: 'var_dump of PHP', text: varDumped(CLAIMS) },
  { from: 'var_export of PHP', text: varExported(CLAIMS) },
  { from: 'HTML-escaped JSON', text: `<td>${escapedHtml(JSON.stringify(CLAIMS))}</td>` },
  { from: 'a mail', text: mail('text/plain', '7bit', `Hi,\r\n${JSON_LINES.join('\r\n')}\r\n`) },
  {
    from: 'a quoted-printable mail',
    text: mail('text/plain; charset=utf-8', 'quoted-printable', quotedPrintable(`Hi ${TOKEN} bye`)),
  },
  {
    from: 'a base64 mail',
    text: mail('text/plain', 'base64', Buffer.from(`> ${TOKEN}`).toString('base64')),
  },
  {
    from: 'the HTML part of a mail',
    text: mail(MIXED, '7bit', `--b1\r\nContent-Type: text/html\r\n\r\n${HTML}\r\n--b1--\r\n`),
  },
  {
    from: 'a part of the source of a mail',
    text: `Hi,\r\n\r\nlaunch_token=3D${quotedPrintable(TOKEN)}\r\n`,
  },
  { from: 'a sentence that ends with the token', text: `The token is ${TOKEN}.` },
])('a launch is found in $from', ({ text }) => {
  const read = claimsFromText(text);
  expect(read).toMatchObject({ claims: { launch_id: 'l-1', api: { token: 'token-1' } } });
  expect(read).toMatchObject({
    claims: { user: { groups: ['student'] }, storage: CLAIMS.storage },
  });
  expect(read).not.toHaveProperty('hasSecond');
});

test.each([
  { name: 'alone', text: TOKEN.slice(0, 60) },
  { name: 'with dots', text: `launch_token=${TOKEN.slice(0, 60)}...` },
  { name: 'within a sentence', text: `The token is ${TOKEN.slice(0, 60)}… and it fails` },
  {
    name: 'within a mail',
    text: mail('text/plain', '7bit', `Hi,\r\n\r\n${TOKEN.slice(0, 80)}\r\n`),
  },
])('a token that is cut $name is named as such', ({ text }) => {
  expect(claimsFromText(text)).toEqual({ fault: expect.stringContaining('it ends too early') });
});
