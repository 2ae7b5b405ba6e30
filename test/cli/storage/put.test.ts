import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clockAfter } from '../../support/clock.ts';
import type { Running } from '../../support/lectern.ts';
import { KEYS, terminal } from '../../support/terminal.ts';
import { cutAfterWrite, cutBeforeWrite, rowService, write } from './row-service.ts';

const NEW = '{ "keep": 1.10,\n  "huge": 9007199254740993, "a": 1, "a": 2, "s": "\\ud800" }\n';

describe('storage put', () => {
  test('sends the exact bytes to the URL, and stores the previous row', async () => {
    const rows = await rowService({ context: '{"keep":1,"lost":[1,2]}' });
    const result = await rows.run(['put', 'context', rows.file('new.json', NEW), '--yes']);
    expect(result).toMatchObject({ exit: 0, stdout: '' });
    expect(rows.methods()).toEqual(['GET', 'PUT']);
    expect(rows.requests[1]).toMatchObject({
      target: '/v0/r%2Fows/context/%7Eopaque?sig=a%2Fb&k=context',
      headers: { 'content-type': 'application/json' },
    });
    expect(rows.requests[1]?.body.toString()).toBe(NEW);
    expect(result.stderr).toContain('removes 1 key: "lost"');
    expect(result.stderr).toContain('lectern storage undo context 1');
  });

  test('shows the lines that change', async () => {
    const rows = await rowService({ context: '{"keep":1,"page":2}' });
    const args = ['put', 'context', rows.file('new.json', '{"keep":1,"page":3}')];
    const { stderr } = await rows.run([...args, '--yes']);
    expect(stderr).toMatch(/^--- context\n\+\+\+ context, new\n/m);
    expect(stderr).toMatch(/^- {2}"page": 2\n\+ {2}"page": 3$/m);
    await rows.run(['put', 'context', rows.file('old.json', '{"keep":1}'), '--yes']);
    expect((await rows.run([...args, '--yes', '--quiet'])).stderr).toBe('');
  });

  test('shows the first lines of a long or wide change', async () => {
    const deep = `${'{"a":'.repeat(999)}1${'}'.repeat(999)}`;
    const rows = await rowService({ context: `{"text":"${'x'.repeat(5000)}","deep":1}` });
    const args = ['put', 'context', rows.file('new.json', `{"text":"","deep":${deep}}`)];
    const { stderr } = await rows.run([...args, '--yes']);
    expect(stderr).toContain('… and 1,907 more lines; lectern storage diff shows all\n');
    const lines = stderr.split('\n');
    expect(lines.length).toBeLessThan(110);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(210);
  });

  test.each([
    ['with - ', ['put', 'context', '-', '--yes']],
    ['without a file', ['put', 'context', '--yes']],
  ])('reads standard input %s', async (_, args) => {
    const rows = await rowService();
    expect(await rows.run(args, { input: '{"a":1}' })).toMatchObject({ exit: 0 });
    expect(rows.text('context')).toBe('{"a":1}');
  });

  test('needs no settings, and stores the row if they are damaged', async () => {
    const rows = await rowService({ member: '{"a":1}' });
    writeFileSync(join(rows.home, 'settings.json'), '{');
    const { exit, stderr } = await rows.run(['put', 'member', '-', '--yes'], { input: '{"a":2}' });
    expect([exit, stderr]).toEqual([0, expect.stringContaining('storage undo member 1')]);
    const withoutLaunch = await rows.run(['get', 'member'], { env: { LECTERN_LAUNCH: '' } });
    expect(withoutLaunch.exit).toBe(1);
    expect(withoutLaunch.stderr).toMatch(
      /settings\.json cannot be read: it is damaged\n {2}remove it/,
    );
  });

  test('without a terminal lists the keys that would be lost, and writes nothing', async () => {
    const rows = await rowService({ member: '{"a":1,"b":2}' });
    const result = await rows.run(['put', 'member', '-'], { input: '{"b":3}' });
    expect(result.exit).toBe(2);
    expect(result.stderr).toContain('removes 1 key: "a"');
    expect(result.stderr).toContain('--yes');
    expect(rows.methods()).toEqual(['GET']);
  });

  test.each([
    ['y', 0, '{"b":3}'],
    ['n', 130, '{"a":1}'],
    [KEYS.interrupt, 130, '{"a":1}'],
  ])('asks on a terminal: the answer %j exits with %i', async (key, exit, text) => {
    const rows = await rowService({ member: '{"a":1}' });
    const file = rows.file('new.json', '{"b":3}');
    const screen = terminal(['storage', 'put', 'member', file], {
      home: rows.home,
      env: rows.environment,
    });
    await screen.shows('Replace the whole member row?');
    screen.type(key + KEYS.enter);
    expect(await screen.exit).toBe(exit);
    expect(rows.text('member')).toBe(text);
  });

  test('shows a change during the question, asks again, and stores it as a version', async () => {
    const rows = await rowService({ member: '{"a":1}' });
    const screen = terminal(['storage', 'put', 'member', rows.file('new.json', '{"b":3}')], {
      home: rows.home,
      env: rows.environment,
    });
    await screen.shows('Replace the whole member row?');
    rows.set('member', '{"a":1,"precious":1}');
    screen.type(`y${KEYS.enter}`);
    await screen.shows('The member row was changed elsewhere. Replace the new version?');
    expect(screen.screen()).toContain('removes 2 keys: "a", "precious"');
    expect(rows.methods()).toEqual(['GET', 'GET']);
    screen.type(`y${KEYS.enter}`);
    expect(await screen.exit).toBe(0);
    expect(rows.methods()).toEqual(['GET', 'GET', 'GET', 'PUT']);
    await rows.run(['undo', 'member', '--yes']);
    expect(rows.text('member')).toBe('{"a":1,"precious":1}');
  });

  test.each([
    ['a comment', '{"a":1} // no', 'line 1, column 9'],
    ['a byte order mark', '\ufeff{"a":1}', 'line 1, column 1'],
    ['a trailing comma', '{\n  "a":1,\n}', 'line 2, column 8'],
    ['NaN', '{"a":NaN}', 'line 1, column 6'],
    ['an array', '[1]', 'an array'],
    ['a scalar', '3', 'a number'],
    ['nothing', '', 'the text is empty'],
  ])('rejects %s with its position, and sends nothing', async (_, text, place) => {
    const rows = await rowService();
    const result = await rows.run(['put', 'context', '--yes'], { input: text });
    expect(result.exit).toBe(3);
    expect(result.stderr).toContain(place);
    expect(rows.requests).toEqual([]);
  });

  test('rejects bytes that are not UTF-8', async () => {
    const rows = await rowService();
    const input = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    expect((await rows.run(['put', 'context', '--yes'], { input })).exit).toBe(3);
    expect(rows.requests).toEqual([]);
  });

  const ofSize = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`;

  test.each([
    ['member', 524_288, 0],
    ['member', 524_289, 3],
    ['context', 1_048_576, 0],
    ['context', 1_048_577, 3],
  ])('of a %s row of %i compact bytes exits with %i', async (row, bytes, exit) => {
    const rows = await rowService();
    const result = await rows.run(['put', row, '--yes'], { input: `${ofSize(bytes)}\n\n` });
    expect(result.exit).toBe(exit);
    expect(rows.methods()).toEqual(exit === 0 ? ['GET', 'PUT'] : []);
  });

  test.each([
    [600_000, 0, 'only fits a context or location row'],
    [1_048_577, 3, 'over the 1 MB limit'],
  ])('to a URL of unknown kind of %i bytes exits with %i', async (bytes, exit, words) => {
    const rows = await rowService();
    const url = `${new URL(rows.launch.iss).origin}/bare`;
    const result = await rows.run(['put', url, '--yes'], { input: ofSize(bytes) });
    expect(result.exit).toBe(exit);
    expect(result.stderr).toContain(words);
  });

  test('--dry-run reads, shows what would be sent, and writes nothing', async () => {
    const rows = await rowService({ context: '{"a":1}' });
    const file = rows.file('new.json', NEW);
    const text = await rows.run(['put', 'context', file, '--dry-run']);
    expect(text.exit).toBe(0);
    expect(text.stdout).toBe(`PUT ${rows.launch.storage.context}\n${NEW}`);
    const json = await rows.run(['put', 'context', file, '--dry-run', '--json']);
    expect(json.stdout).toContain(`"body":${NEW}`);
    expect(JSON.parse(json.stdout)).toMatchObject({
      dry_run: true,
      method: 'PUT',
      url: rows.launch.storage.context,
      findings: [{ code: 'body.duplicate_name' }, { code: 'body.lossy_number' }],
    });
    expect(json.stderr).toBe('');
    expect(new Set(rows.methods())).toEqual(new Set(['GET']));
  });

  test('--json prints the outcome', async () => {
    const rows = await rowService();
    const result = await rows.run(['put', 'context', '--yes', '--json'], { input: '{ "a": 1 }' });
    expect(JSON.parse(result.stdout)).toEqual({
      row: 'context',
      outcome: 'written',
      bytes: 7,
      before_image: 1,
      findings: [],
    });
    expect(result.stderr).toBe('');
  });

  test('--json includes the warnings', async () => {
    const rows = await rowService();
    const input = '{"a":1,"a":1e400}';
    const result = await rows.run(['put', 'context', '--yes', '--json'], { input });
    expect(JSON.parse(result.stdout)).toMatchObject({
      outcome: 'written',
      findings: [
        { code: 'body.duplicate_name', severity: 'warning', path: '/a', line: 1 },
        { code: 'body.lossy_number' },
      ],
    });
    expect([result.exit, result.stderr]).toEqual([0, '']);
  });

  test('with an unknown row name exits with 2 and suggests the nearest one', async () => {
    const rows = await rowService();
    const result = await rows.run(['put', 'contxt', '--yes'], { input: '{}' });
    expect(result.exit).toBe(2);
    expect(result.stderr).toContain('did you mean context?');
  });

  test.each(['{"a":1}', '[]'])('reports JSON in place of a file name: %s', async (json) => {
    const rows = await rowService();
    const { exit, stderr } = await rows.run(['put', 'context', json, '--yes']);
    expect([exit, stderr]).toEqual([
      2,
      expect.stringMatching(/JSON .* an argument\n.*standard in/),
    ]);
  });

  test('rejects JSON in place of a file name as a secret if it may be a launch', async () => {
    const rows = await rowService();
    const { stderr } = await rows.run(['put', 'context', '{"api":{"token":"canary"}}', '--yes']);
    expect(stderr).toContain('secrets are not accepted as arguments');
    expect(stderr).not.toContain('canary');
  });

  test('of a missing file exits with 2', async () => {
    const rows = await rowService();
    const result = await rows.run(['put', 'context', 'nowhere.json', '--yes']);
    expect(result.exit).toBe(2);
    expect(result.stderr).toContain('no such file');
  });
});

describe('storage put with a lost response', () => {
  test('finds out that the row was written', async () => {
    const rows = await rowService({ context: '{"a":1}' });
    rows.fault(cutAfterWrite);
    const result = await rows.run(['put', 'context', '--yes'], { input: '{ "b": 1.10 }' });
    expect(result.exit).toBe(0);
    expect(result.stderr).toContain('the response was lost, but the row reads as sent');
    expect(rows.methods()).toEqual(['GET', 'PUT', 'GET']);
  });

  test('finds out that the row was not written', async () => {
    const rows = await rowService({ context: '{"a":1}' });
    rows.fault(cutBeforeWrite);
    const result = await rows.run(['put', 'context', '--yes', '--json'], { input: '{"b":1}' });
    expect(result.exit).toBe(8);
    expect(JSON.parse(result.stderr)).toMatchObject({ error: { code: 'no_answer.connection' } });
    expect(rows.methods()).toEqual(['GET', 'PUT', 'GET']);
  });

  test('is in doubt if the row has neither value', async () => {
    const rows = await rowService({ context: '{"a":1}' });
    rows.fault((request, response, store) => {
      if (request.method === 'GET') return false;
      write('PUT', request.target, Buffer.from('{"other":1}'), store);
      response.destroy();
      return true;
    });
    const result = await rows.run(['put', 'context', '--yes'], { input: '{"b":1}' });
    expect(result.exit).toBe(10);
    expect(result.stderr).toContain('neither as before nor as sent');
  });

  test('is in doubt if the row cannot be read again', async () => {
    const rows = await rowService({ context: '{"a":1}' });
    let written = false;
    rows.fault(({ method }, response) => {
      if (method === 'GET' && !written) return false;
      written = true;
      response.destroy();
      return true;
    });
    const result = await rows.run(['put', 'context', '--yes'], { input: '{"b":1}' });
    expect(result.exit).toBe(10);
    expect(result.stderr).toContain('the row cannot be read');
  });

  test('has the same outcome if the service hangs', async () => {
    const rows = await rowService({ context: '{"a":1}' });
    rows.fault(({ method }) => method !== 'GET');
    const args = ['put', 'context', '--yes', '--timeout', '0.3'];
    const clock = clockAfter(rows.requests, ({ method }) => method !== 'GET');
    const result = await rows.run(args, { input: '{"b":1}', clock });
    expect(result.exit).toBe(8);
    expect(result.stderr).toContain('the row is unchanged');
    expect(result.stderr).not.toContain('nothing took effect');
  });

  test.each([
    ['SIGINT', 'PUT', ['put', 'context', '--yes']],
    ['SIGTERM', 'PATCH', ['patch', 'context', '--add', '/b:=1']],
  ] as const)(
    'after a %s is in doubt, since the %s may still arrive',
    async (signal, method, args) => {
      const rows = await rowService({ context: '{"a":1}' });
      let command: Running | undefined;
      rows.fault((request) => {
        if (request.method === method) command?.kill(signal);
        return request.method === method;
      });
      const started = (each: Running): void => void (command = each);
      const result = await rows.run(args, { input: '{"b":1}', started });
      expect([result.exit, result.stderr]).toEqual([10, expect.stringContaining('in doubt')]);
      expect(result.stderr).not.toContain('nothing took effect');
    },
  );

  test('after an interrupt is settled if the row has the sent value', async () => {
    const rows = await rowService({ context: '{"a":1}' });
    let command: Running | undefined;
    rows.fault(({ method, target, body }, _, store) => {
      if (method === 'GET') return false;
      write(method, target, body, store);
      command?.kill('SIGINT');
      return true;
    });
    const started = (each: Running): void => void (command = each);
    const result = await rows.run(['put', 'context', '--yes'], { input: '{"b":1}', started });
    expect(result).toMatchObject({ exit: 0, stderr: expect.stringContaining('reads as sent') });
  });

  test.each([
    [403, 5],
    [422, 7],
    [502, 8],
  ])('is not sent if the read before it gets %i: exit %i', async (status, exit) => {
    const rows = await rowService();
    rows.fault((_, response) => {
      response.writeHead(status).end();
      return true;
    });
    expect((await rows.run(['put', 'context', '--yes'], { input: '{}' })).exit).toBe(exit);
    expect(rows.methods()).toEqual(['GET']);
  });
});
