import { describe, expect, test } from 'vitest';
import { INSTRUCTOR, launchFor } from '../../support/service.ts';
import { atTerminal, jsonOf, linesIn, stepsAt } from '../../support/steps.ts';
import { KEYS } from '../../support/terminal.ts';

const ORIGIN = 'https://service.example';
const TOKEN = 'launch-token-canary-1';
const CLAIMS = JSON.stringify(launchFor(ORIGIN, { ...INSTRUCTOR, surprise: { deep: [1] } }));

const encoded = (text: string): string => Buffer.from(text).toString('base64url');
const COMPACT = `${encoded('{"alg":"RS256","kid":"k-1"}')}.${encoded(CLAIMS)}.c2lnbmF0dXJl`;

/** Runs `launch decode` with flags on a text, and checks what comes of it. */
const decode = (flags: string, input: string | Buffer, expected = {}) =>
  stepsAt().step(`launch decode ${flags}`, { input, ...expected });

describe('launch decode', () => {
  test('--json prints claims, findings and permissions', async () => {
    const claims = { context: 'c-1', surprise: { deep: [1] } };
    const json = { kind: 'launch', form: 'json', verified: false, claims, contract: /^\d{4}-/ };
    const stdout = '?sig=(hidden)&k=(hidden)';
    const decoded = await decode('--json', CLAIMS, { json, stdout, lacks: [TOKEN, 'a%2Fb'] });
    const { findings, permits, ...others } = jsonOf(decoded);
    expect(others).not.toHaveProperty('header');
    for (const finding of findings) {
      expect(Object.keys(finding)).toEqual(['code', 'severity', 'path', 'message', 'hint']);
    }
    const put = { command: 'storage put context', allowed: true, reason: expect.any(String) };
    expect(permits).toContainEqual(put);
  });

  test('reads a saved mail with an attachment of megabytes, and refuses other large files', async () => {
    const attachment = 'QUJD'.repeat(500_000);
    const mail = [
      'From: ada@example.org\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b1\n',
      `--b1\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\n${btoa(CLAIMS)}`,
      `--b1\nContent-Type: application/pdf\n\n${attachment}\n--b1--\n`,
    ].join('\n');
    await decode('--json -', mail, { json: { claims: { context: 'c-1' } } });
    const long = 'é'.repeat(600_000);
    const ofText = `From: ada@example.org\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n${long}`;
    for (const input of [attachment, ofText]) {
      await decode('--json -', input, { exit: 3, error: { code: 'input.too_large' } });
    }
  });

  test('shows the header of a token, and says that its signature was not checked', async () => {
    const header = 'token header: {"alg":"RS256","kid":"k-1"}';
    await decode('', COMPACT, { stdout: ['the signature was not verified', header] });
  });

  test('prints the verdict first, then findings, claims by group, and permissions as a grid', async () => {
    const { stdout } = await decode('', CLAIMS, {
      stdout: [
        /^\d warnings?: this launch can read and write its rows and submit.*\n/,
        '  user.member: m-1\n      ',
        '  ? surprise: {"deep":[1]}\n      not in the contract',
        /^permits +get {2}put {2}ls {2}upload( {2}provision)?$/m,
        /^member_location +yes +yes( +(yes|no)){2}/m,
      ],
      lacks: TOKEN,
    });
    const headings = stdout.match(/^\S.*:$/gm);
    expect(headings).toEqual(['who:', 'where:', 'URLs and token:', 'lifetime:', 'other:']);
    expect(stdout.indexOf('warning: ')).toBeLessThan(stdout.indexOf('who:'));
  });

  test('suggests the nearest name for a misspelt claim, and hides values below api', async () => {
    const api = { tokn: 'SECRET-1', more: { deep: 'SECRET-2' }, list: ['SECRET-3'], expires: 5 };
    const claims = JSON.stringify({ ...JSON.parse(CLAIMS), api, usr: 'x', contxt: 'c', grades: 1 });
    await decode('--json', claims, { lacks: 'SECRET' });
    const meant = ['api.token', 'context', 'grade'];
    await decode('', claims, {
      stdout: [
        '? api.tokn: (hidden, 8 characters)\n',
        ...meant.map((name) => `not in the contract; did you mean ${name}?`),
        'api.expires: 5\n',
      ],
      lacks: 'SECRET',
    });
  });

  test('hides the password of a URL, in a claim or an argument of any command', async () => {
    const url = 'https://user:hunter2@service.example/contexts/c/rows/1';
    const claims = launchFor(ORIGIN, {
      iss: url,
      storage: { member: url },
      grade: { submit: url },
      surprise: { text: `see ${url}, or ${url}` },
    });
    const env = { LECTERN_TOKEN: TOKEN };
    const { step } = stepsAt({ input: JSON.stringify(claims), env });
    for (const line of linesIn(`
      launch save x --force
      launch show
      launch decode -
      validate launch # exit 3
      storage get member # exit 3
      grade submit --score 1 # exit 3
      storage get --url ${url} # exit 3
      files ls --url ${url} # exit 3
      grade submit --score 1 --url ${url} # exit 3`)) {
      await step(line, { lacks: 'hunter2' });
      await step(line.replace(/(?= #|$)/, ' --json'), { lacks: 'hunter2' });
    }
  });

  test('--exit-code exits with 3 for an error, after the whole output', async () => {
    const { api: _api, ...others } = JSON.parse(CLAIMS);
    const broken = JSON.stringify(others);
    await decode('--exit-code', CLAIMS, { stderr: '' });
    await decode('', broken);
    await decode('--exit-code', broken, {
      exit: 3,
      stderr: /^lectern: the launch has 1 error\n$/,
      stdout: /^1 error.*: this launch can read no row and submit no grade\n/,
    });
  });

  test('--contract checks against the contract of another date', async () => {
    const tooNew = expect.objectContaining({ code: 'launch.claim_too_new', path: 'files' });
    const findings = async (flags: string) =>
      jsonOf(await decode(`--json ${flags}`, CLAIMS)).findings;
    expect(await findings('')).not.toContainEqual(tooNew);
    expect(await findings('--contract 2026-09-21')).toContainEqual(tooNew);
    await decode('--contract yesterday', CLAIMS, { exit: 2, stderr: 'YYYY-MM-DD' });
  });

  test('rejects nothing, a text, broken JSON, and other documents and tokens', async () => {
    const token = `${encoded('{}')}.${encoded('{"hello":1}')}.x`;
    for (const input of ['', 'hello there', CLAIMS.slice(0, -1), '{"hello":1}', token]) {
      const error = { code: 'launch.unreadable', exit: 3, status: null, hint: /./ };
      await decode('--json', input, { exit: 3, stdout: '', error, lacks: TOKEN });
    }
  });

  test('asks on a terminal, and fits into a narrow one', async () => {
    const keys = { 'Paste the launch': COMPACT + KEYS.enter };
    // What is longer than a line is an address or the like, which has no place to be broken at.
    const shows = ['user.member: m-1', "the user's membership in the\n      course"];
    const lacks = COMPACT.slice(0, 30);
    await atTerminal('launch decode', { keys, columns: 40, rows: 400, shows, lacks });
  });
});

const launch = (id: string): string =>
  JSON.stringify(launchFor('http://127.0.0.1:1', { launch_id: id }));
const token = (id: string): string =>
  ['{"alg":"none"}', launch(id), 'signature']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');
const IGNORED = 'the text has a second, different launch: it was ignored, and the first was read';

async function launchIn(input: string) {
  const { claims, findings } = jsonOf(await decode('--json', input)) as {
    claims: { launch_id: string };
    findings: { code: string; severity: string; message: string }[];
  };
  return { claims, several: findings.filter(({ code }) => code === 'launch.several') };
}

test.each([
  ['on two lines', `${launch('a')}\n${launch('b')}\n`],
  ['in a list', `[${launch('a')},${launch('b')}]`],
  ['in a mail', `First:\n> ${launch('a')}\nand then\n> ${launch('b')}`],
  ['one as a token', `${launch('a')}\n\n${token('b')}`],
  ['in the members of an object', JSON.stringify({ before: token('a'), now: token('b') })],
])('a second, different launch %s is ignored with a warning', async (_, input) => {
  const { claims, several } = await launchIn(input);
  expect([claims.launch_id, several]).toEqual([
    'a',
    [expect.objectContaining({ severity: 'warning', message: IGNORED })],
  ]);
  await stepsAt({ files: { 'two.json': input } }).step(`
    launch decode two.json # warning: ${IGNORED}
    launch save mine two.json # warning: ${IGNORED}
    storage get member -l ./two.json # exit 8: warning: ${IGNORED}`);
});

test.each([
  ['as claims and as a token', `${launch('a')}\n\n${token('a')}`],
  ['within a wrapper with a token', `{"api":{"token":"other"},"claims":${launch('a')}}`],
  ['next to other JSON', `{"time":1}\n${launch('a')}\n{"user":"else"}`],
])('a launch %s does not count as a second launch', async (_, input) => {
  const { claims, several } = await launchIn(input);
  expect([claims.launch_id, several]).toEqual(['a', []]);
});
