import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Running } from '../../support/lectern.ts';
import { jsonOf } from '../../support/steps.ts';
import { KEYS } from '../../support/terminal.ts';
import { cutAfterWrite, cutBeforeWrite, rowService, write } from './row-service.ts';

const NEW = '{ "keep": 1.10,\n  "huge": 9007199254740993, "a": 1, "a": 2, "s": "\\ud800" }\n';
const PUT = 'storage put context --yes';

describe('storage put', () => {
  test('sends the exact bytes to the URL, and stores the previous row', async () => {
    const { step, requests } = await rowService({ context: '{"keep":1,"lost":[1,2]}' });
    await step('storage put context new.json --yes', {
      files: { 'new.json': NEW },
      stdout: '',
      stderr: ['removes 1 key: "lost"', 'lectern storage undo context 1'],
      methods: ['GET', 'PUT'],
    });
    expect(requests[1]).toMatchObject({
      target: '/v0/r%2Fows/context/%7Eopaque?sig=a%2Fb&k=context',
      headers: { 'content-type': 'application/json' },
    });
    expect(requests[1]?.body.toString()).toBe(NEW);
  });

  test('shows the lines that change', async () => {
    const { step, set } = await rowService({ context: '{"keep":1,"page":2}' });
    const given = { input: '{"keep":1,"page":3}' };
    await step(PUT, {
      ...given,
      stderr: [/^--- context\n\+\+\+ context, new\n/m, /^- {2}"page": 2\n\+ {2}"page": 3$/m],
    });
    set('context', '{"keep":1}');
    await step(`${PUT} --quiet`, { ...given, stderr: '' });
  });

  test('shows the first lines of a long or wide change', async () => {
    const deep = `${'{"a":'.repeat(999)}1${'}'.repeat(999)}`;
    const { step } = await rowService({ context: `{"text":"${'x'.repeat(5000)}","deep":1}` });
    const { stderr } = await step(PUT, {
      input: `{"text":"","deep":${deep}}`,
      stderr: '… and 1,907 more lines; lectern storage diff shows all\n',
    });
    const lines = stderr.split('\n');
    expect(lines.length).toBeLessThan(110);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(210);
  });

  test('needs no settings, and stores the row if they are damaged', async () => {
    const { step, home } = await rowService({ member: '{"a":1}' });
    writeFileSync(join(home, 'settings.json'), '{');
    const stderr = 'storage undo member 1';
    await step('storage put member - --yes', { input: '{"a":2}', stderr });
    await step('storage get member', {
      env: { LECTERN_LAUNCH: '' },
      exit: 1,
      stderr: /settings\.json cannot be read: it is damaged\n {2}remove it/,
    });
  });

  test('without a terminal lists the keys that would be lost, and writes nothing', async () => {
    const { step } = await rowService({ member: '{"a":1,"b":2}' });
    const expected = { exit: 2, stderr: ['removes 1 key: "a"', '--yes'], methods: ['GET'] };
    await step('storage put member -', { input: '{"b":3}', ...expected });
  });

  test.each([
    ['y', 0, '{"b":3}'],
    ['n', 130, '{"a":1}'],
    [KEYS.interrupt, 130, '{"a":1}'],
  ])('asks on a terminal: the answer %j exits with %i', async (key, exit, text) => {
    const rows = await rowService({ member: '{"a":1}' });
    const keys = { 'Replace the whole member row?': key + KEYS.enter };
    const files = { 'new.json': '{"b":3}' };
    await rows.atTerminal('storage put member new.json', { files, keys, exit });
    expect(rows.text('member')).toBe(text);
  });

  test('shows a change during the question, asks again, and stores it as a version', async () => {
    const rows = await rowService({ member: '{"a":1}' });
    const screen = rows.screen(`storage put member ${rows.file('new.json', '{"b":3}')}`);
    await screen.shows('Replace the whole member row?');
    rows.set('member', '{"a":1,"precious":1}');
    screen.type(`y${KEYS.enter}`);
    await screen.shows('The member row was changed elsewhere. Replace the new version?');
    expect(screen.screen()).toContain('removes 2 keys: "a", "precious"');
    expect(rows.methods()).toEqual(['GET', 'GET']);
    screen.type(`y${KEYS.enter}`);
    expect(await screen.exit).toBe(0);
    expect(rows.methods()).toEqual(['GET', 'GET', 'GET', 'PUT']);
    await rows.step('storage undo member --yes', { rows: { member: '{"a":1,"precious":1}' } });
  });

  test.each([
    ['a comment', '{"a":1} // no', 'line 1, column 9'],
    ['an array', '[1]', 'an array'],
    ['bytes that are not UTF-8', Buffer.from('{"a":"\xff"}', 'latin1'), 'UTF-8'],
  ])('rejects %s with its position, and sends nothing', async (_, input, stderr) => {
    const { step } = await rowService();
    await step(PUT, { input, exit: 3, stderr, methods: [] });
  });

  const ofSize = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`;

  test.each([
    [600_000, 0, 'only fits a context or location row'],
    [1_048_577, 3, 'over the 1 MB limit'],
  ])('to a URL of unknown kind of %i bytes exits with %i', async (bytes, exit, stderr) => {
    const { step, launch } = await rowService();
    await step(`storage put ${launch.iss}/bare --yes`, { input: ofSize(bytes), exit, stderr });
  });

  test('--dry-run reads, shows what would be sent, and writes nothing', async () => {
    const { step, launch } = await rowService({ context: '{"a":1}' });
    const url = launch.storage.context;
    const given = { input: NEW, methods: ['GET'] };
    const text = await step('storage put context --dry-run', given);
    expect(text.stdout).toBe(`PUT ${url}\n${NEW}`);
    const findings = [{ code: 'body.duplicate_name' }, { code: 'body.lossy_number' }];
    await step('storage put context --dry-run --json', {
      ...given,
      stdout: `"body":${NEW}`,
      json: { dry_run: true, method: 'PUT', url, findings },
      stderr: '',
    });
  });

  test('--json prints the outcome, and includes the warnings', async () => {
    const { step } = await rowService();
    const written = await step(`${PUT} --json`, { input: '{ "a": 1 }', stderr: '' });
    const outcome = { row: 'context', outcome: 'written', bytes: 7, before_image: 1, findings: [] };
    expect(jsonOf(written)).toEqual(outcome);
    const twice = { code: 'body.duplicate_name', severity: 'warning', path: '/a', line: 1 };
    const findings = [twice, { code: 'body.lossy_number' }];
    const json = { outcome: 'written', findings };
    await step(`${PUT} --json`, { input: '{"a":1,"a":1e400}', json, stderr: '' });
  });

  test.each([
    ['contxt', 'did you mean context?', ''],
    ['context nowhere.json', 'no such file', ''],
    ['context {"a":1}', /JSON .* an argument\n.*standard in/, ''],
    ['context []', /JSON .* an argument\n.*standard in/, ''],
    // It may be a launch.
    ['context {"api":{"token":"canary"}}', 'secrets are not accepted as arguments', 'canary'],
  ])('%s is a usage error', async (words, stderr, secret) => {
    const { step } = await rowService();
    const lacks = secret === '' ? [] : secret;
    await step(`storage put ${words} --yes`, { input: '{}', exit: 2, stderr, lacks, methods: [] });
  });
});

describe('storage put with a lost response', () => {
  const B = { input: '{ "b": 1.10 }' };

  test('finds out that the row was written', async () => {
    const { step, fault } = await rowService({ context: '{"a":1}' });
    fault(cutAfterWrite);
    const stderr = 'the response was lost, but the row reads as sent';
    await step(PUT, { ...B, stderr, methods: ['GET', 'PUT', 'GET'] });
  });

  test('finds out that the row was not written', async () => {
    const { step, fault } = await rowService({ context: '{"a":1}' });
    fault(cutBeforeWrite);
    const error = { code: 'no_answer.connection', message: /the row is unchanged/ };
    await step(`${PUT} --json`, { ...B, exit: 8, error, methods: ['GET', 'PUT', 'GET'] });
  });

  test('is in doubt if the row has neither value', async () => {
    const { step, fault } = await rowService({ context: '{"a":1}' });
    fault((request, response, store) => {
      if (request.method === 'GET') return false;
      write('PUT', request.target, Buffer.from('{"other":1}'), store);
      response.destroy();
      return true;
    });
    await step(PUT, { ...B, exit: 10, stderr: 'neither as before nor as sent' });
  });

  test('is in doubt if the row cannot be read again, also in a narrow list', async () => {
    const { step, fault, atTerminal } = await rowService({ context: '{"a":1}' });
    let written = false;
    fault(({ method }, response) => {
      if (method === 'GET' && !written) return false;
      written = true;
      response.destroy();
      return true;
    });
    const commands = /lectern storage get context; .*: lectern storage undo context 1/;
    await step(PUT, { ...B, exit: 10, stderr: ['the row cannot be read', commands] });
    await atTerminal('storage history context', { columns: 40, shows: 'in doubt' });
  });

  test.each([
    ['SIGINT', 'PUT', PUT],
    ['SIGTERM', 'PATCH', 'storage patch context --add /b:=1'],
  ] as const)(
    'after a %s is in doubt, since the %s may still arrive',
    async (signal, method, line) => {
      const { step, fault } = await rowService({ context: '{"a":1}' });
      let command: Running | undefined;
      fault((request) => {
        if (request.method === method) command?.kill(signal);
        return request.method === method;
      });
      const started = (each: Running): void => void (command = each);
      const input = method === 'PUT' ? B.input : '';
      const expected = { exit: 10, stderr: 'in doubt', lacks: 'nothing took effect' };
      await step(line, { input, started, ...expected });
    },
  );
});
