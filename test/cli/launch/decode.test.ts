import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lectern, temporaryFolder } from '../../support/lectern.ts';
import { INSTRUCTOR, launchFor } from '../../support/service.ts';
import { KEYS, terminal } from '../../support/terminal.ts';

const ORIGIN = 'https://service.example';
const TOKEN = 'launch-token-canary-1';
const CLAIMS = JSON.stringify(launchFor(ORIGIN, { ...INSTRUCTOR, surprise: { deep: [1] } }));

const encoded = (text: string): string => Buffer.from(text).toString('base64url');
const COMPACT = `${encoded('{"alg":"RS256","kid":"k-1"}')}.${encoded(CLAIMS)}.c2lnbmF0dXJl`;

async function decode(args: readonly string[], input: string) {
  const result = await lectern(['launch', 'decode', ...args], { input });
  return { ...result, json: () => JSON.parse(result.stdout) };
}

describe('launch decode', () => {
  test('--json prints claims, findings and permissions', async () => {
    const { exit, stderr, stdout, json } = await decode(['--json'], CLAIMS);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    const decoded = json();
    expect(decoded).toMatchObject({
      kind: 'launch',
      form: 'json',
      verified: false,
      claims: { context: 'c-1', surprise: { deep: [1] } },
      contract: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    });
    expect(decoded).not.toHaveProperty('header');
    for (const finding of decoded.findings) {
      expect(Object.keys(finding)).toEqual(['code', 'severity', 'path', 'message', 'hint']);
    }
    expect(decoded.permits).toContainEqual({
      command: 'storage put context',
      allowed: true,
      reason: expect.any(String),
    });
    expect(stdout).not.toContain(TOKEN);
    expect(stdout).toContain('?sig=(hidden)&k=(hidden)');
    expect(stdout).not.toContain('a%2Fb');
  });

  test('reports values that reading changes, like launch save', async () => {
    const claims = CLAIMS.replace('"context":"c-1"', '"context":"c-1","context":"c-\xff"');
    const input = Buffer.from(claims, 'latin1');
    const { stdout } = await lectern(['launch', 'decode', '--json'], { input });
    const lost = [
      expect.objectContaining({ code: 'launch.encoding', severity: 'error' }),
      expect.objectContaining({ code: 'body.duplicate_name', path: 'context' }),
    ];
    expect(JSON.parse(stdout).findings).toEqual(expect.arrayContaining(lost));
    const saved = await lectern(['launch', 'save', 'm', '--json'], { input });
    expect(JSON.parse(saved.stdout).findings).toEqual(expect.arrayContaining(lost));
    const { stderr } = await lectern(['launch', 'save', 'm'], { input });
    expect(stderr).toContain('error: invalid UTF-8');
  });

  test.each([
    ['a token', COMPACT, 'token'],
    ['a URL', `https://tool.example/start?id_token=${COMPACT}`, 'url'],
    ['a form body', `state=x&id_token=${COMPACT}`, 'form'],
    ['base64', Buffer.from(CLAIMS).toString('base64'), 'base64'],
    ['a wrapper', `{"result":{"launch":${CLAIMS}}}`, 'json'],
  ])('reads %s', async (_, input, form) => {
    const { exit, json } = await decode(['--json', '-'], input);
    expect(exit).toBe(0);
    expect(json()).toMatchObject({ form, verified: false, claims: { context: 'c-1' } });
  });

  test('reads a saved mail with an attachment of megabytes, and refuses other large files', async () => {
    const attachment = 'QUJD'.repeat(500_000);
    const mail = [
      'From: ada@example.org\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b1\n',
      `--b1\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\n${btoa(CLAIMS)}`,
      `--b1\nContent-Type: application/pdf\n\n${attachment}\n--b1--\n`,
    ].join('\n');
    const { exit, json } = await decode(['--json', '-'], mail);
    expect([exit, json().claims.context]).toEqual([0, 'c-1']);
    const other = await decode(['--json', '-'], attachment);
    expect([other.exit, JSON.parse(other.stderr).error.code]).toEqual([3, 'input.too_large']);
  });

  test('shows the header of a token, and says that its signature was not checked', async () => {
    expect((await decode(['--json'], COMPACT)).json()).toMatchObject({
      header: { alg: 'RS256', kid: 'k-1' },
    });
    const { stdout } = await decode([], COMPACT);
    expect(stdout).toContain('the signature was not verified');
    expect(stdout).toContain('token header: {"alg":"RS256","kid":"k-1"}');
  });

  test('prints the verdict first, then findings, claims by group, and permissions as a grid', async () => {
    const { exit, stdout } = await decode([], CLAIMS);
    expect(exit).toBe(0);
    const headings = stdout.match(/^\S.*:$/gm);
    expect(headings).toEqual(['who:', 'where:', 'URLs and token:', 'lifetime:', 'other:']);
    expect(stdout).toContain('  user.member: m-1\n      ');
    expect(stdout).toContain('  ? surprise: {"deep":[1]}\n      not in the contract');
    const [first = ''] = stdout.split('\n');
    expect(first).toMatch(/^\d warnings?: this launch can read and write its rows and submit/);
    expect(stdout.indexOf('warning: ')).toBeLessThan(stdout.indexOf('who:'));
    expect(stdout).toMatch(/^permits +get {2}put {2}ls {2}upload( {2}provision)?$/m);
    expect(stdout).toMatch(/^member_location +yes +yes( +(yes|no)){2}/m);
    expect(stdout).not.toContain(TOKEN);
  });

  test('reports a change of the contract once, with all its claims', async () => {
    const { storage, files, ...others } = JSON.parse(CLAIMS);
    expect(storage).toBeDefined();
    expect(files).toBeDefined();
    const { stdout } = await decode([], JSON.stringify(others));
    const changes = stdout.match(/contract change of 2026-10-05/g) ?? [];
    expect(changes.length).toBeLessThanOrEqual(1);
    const hints = stdout.split('\n').filter((line) => line.includes('keep its claims whole'));
    expect(new Set(hints).size).toBe(hints.length);
  });

  test('suggests the nearest name for a misspelt claim, and hides values below api', async () => {
    const api = { tokn: 'SECRET-1', more: { deep: 'SECRET-2' }, list: ['SECRET-3'], expires: 5 };
    const claims = JSON.stringify({ ...JSON.parse(CLAIMS), api, usr: 'x', contxt: 'c', grades: 1 });
    for (const flags of [[], ['--json']]) {
      const { stdout } = await decode(flags, claims);
      expect(stdout).not.toContain('SECRET');
    }
    const { stdout } = await decode([], claims);
    expect(stdout).toContain('? api.tokn: (hidden, 8 characters)\n');
    expect(stdout).toContain('not in the contract; did you mean api.token?');
    expect(stdout).toContain('not in the contract; did you mean context?');
    expect(stdout).toContain('not in the contract; did you mean grade?');
    expect(stdout).toContain('api.expires: 5\n');
  });

  test('hides the password of a URL, in a claim or an argument of any command', async () => {
    const url = 'https://user:hunter2@service.example/contexts/c/rows/1';
    const claims = launchFor(ORIGIN, {
      iss: url,
      storage: { member: url },
      grade: { submit: url },
      surprise: { text: `see ${url}, or ${url}` },
    });
    const home = temporaryFolder();
    const input = JSON.stringify(claims);
    const env = { LECTERN_TOKEN: TOKEN };
    for (const [args, exit] of [
      [['launch', 'save', 'x'], 0],
      [['launch', 'show'], 0],
      [['launch', 'decode', '-'], 0],
      [['validate', 'launch'], 3],
      [['storage', 'get', 'member'], 3],
      [['grade', 'submit', '--score', '1'], 3],
      [['storage', 'get', '--url', url], 3],
      [['files', 'ls', '--url', url], 3],
      [['grade', 'submit', '--score', '1', '--url', url], 3],
    ] as const) {
      for (const more of [[], ['--json']]) {
        const force = args[1] === 'save' ? ['--force'] : [];
        const all = [...args, ...force, ...more];
        const { stdout, stderr, ...result } = await lectern(all, { home, env, input });
        expect([all, result.exit]).toEqual([all, exit]);
        expect(stdout + stderr).not.toContain('hunter2');
      }
    }
  });

  test('--exit-code exits with 3 for an error, after the whole output', async () => {
    const { api, ...broken } = JSON.parse(CLAIMS);
    expect(api).toBeDefined();
    expect(await decode(['--exit-code'], CLAIMS)).toMatchObject({ exit: 0, stderr: '' });
    expect((await decode([], JSON.stringify(broken))).exit).toBe(0);
    const refused = await decode(['--exit-code'], JSON.stringify(broken));
    expect(refused).toMatchObject({ exit: 3, stderr: 'lectern: the launch has 1 error\n' });
    expect(refused.stdout).toMatch(/^1 error.*: this launch can read no row and submit no grade\n/);
  });

  test('--show-secrets shows the secrets', async () => {
    expect((await decode(['--show-secrets'], CLAIMS)).stdout).toContain(TOKEN);
    expect((await decode(['--show-secrets', '--json'], CLAIMS)).json()).toEqual(
      expect.objectContaining({ claims: JSON.parse(CLAIMS) }),
    );
  });

  test('--contract checks against the contract of another date', async () => {
    const codes = async (...args: string[]): Promise<string[]> =>
      (await decode(['--json', ...args], CLAIMS))
        .json()
        .findings.map((each: { code: string; path: string }) => `${each.code} ${each.path}`);
    expect(await codes()).not.toContain('launch.claim_too_new files');
    expect(await codes('--contract', '2026-09-21')).toContain('launch.claim_too_new files');
    const refused = await decode(['--contract', 'yesterday'], CLAIMS);
    expect(refused.exit).toBe(2);
    expect(refused.stderr).toContain('YYYY-MM-DD');
  });

  test.each([
    ['nothing', ''],
    ['text', 'hello there'],
    ['broken JSON', `${CLAIMS.slice(0, -1)}`],
    ['another document', '{"hello":1}'],
    ['a token of another kind', `${encoded('{}')}.${encoded('{"hello":1}')}.x`],
  ])('rejects %s', async (_, input) => {
    const { exit, stdout, stderr } = await decode(['--json'], input);
    expect({ exit, stdout }).toEqual({ exit: 3, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'launch.unreadable', exit: 3, status: null, hint: expect.any(String) },
    });
    expect(stderr).not.toContain(TOKEN);
  });

  test('reports an unreadable launch once', async () => {
    const { exit, stderr } = await decode([], 'Hello');
    expect([exit, stderr.split('a launch').length, stderr.split('\n').length]).toEqual([3, 2, 3]);
  });

  test('rejects a token given as an argument, and does not repeat it', async () => {
    const { exit, stderr } = await decode([COMPACT], '');
    expect(exit).toBe(2);
    expect(stderr).toContain('secrets are not accepted as arguments');
    expect(stderr).not.toContain(COMPACT);
  });

  test('reads a file, or a saved launch with --launch', async () => {
    const home = temporaryFolder();
    const file = join(home, 'a-file-whose-name-is-as-long-as-a-key-1');
    writeFileSync(file, CLAIMS);
    const options = { home, cwd: home };
    const named = ['launch', 'decode', 'a-file-whose-name-is-as-long-as-a-key-1', '--json'];
    expect((await lectern(named, options)).exit).toBe(0);
    await lectern(['launch', 'save', 'x', file], options);
    const saved = await lectern(['launch', 'decode', '-l', 'x', '--json'], options);
    expect(JSON.parse(saved.stdout)).toMatchObject({ claims: { context: 'c-1' } });
  });

  test('asks on a terminal, and fits into a narrow one', async () => {
    const asked = terminal(['launch', 'decode'], { columns: 40, rows: 400 });
    await asked.shows('Paste the launch');
    asked.type(COMPACT + KEYS.enter);
    expect(await asked.exit).toBe(0);
    expect(asked.screen()).not.toContain(COMPACT.slice(0, 30));
    expect(asked.screen()).toContain('user.member: m-1');
    // What is longer than a line is an address or the like, which has no place to be broken at.
    expect(asked.screen()).toContain("the user's membership in the\n      course");
  });

  test('escapes control characters of a claim on a terminal', async () => {
    const { stdout } = await decode(
      [],
      CLAIMS.replace('Amina Example', 'Amina\\u001b[2J\\u202eelpmaxE'),
    );
    expect(stdout).toContain('Amina\\u{1b}[2J\\u{202e}elpmaxE');
  });
});
