import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { jsonOf, linesIn } from '../../support/steps.ts';
import { KEYS } from '../../support/terminal.ts';
import { cutBeforeWrite, rowService, write } from './row-service.ts';

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

  test('shows the lines that change, the first ones of many or of long ones', async () => {
    const { step } = await rowService({ context: '{"keep":1,"page":2}' });
    const stderr = /^--- context\n\+\+\+ context, new\n[^]*^- {2}"page": 2\n\+ {2}"page": 3$/m;
    await step(`${PUT} < {"keep":1,"page":3}`, { stderr });
    await step(`${PUT} --quiet < {"keep":1}`, { stderr: '' });
    const list = JSON.stringify(Array.from({ length: 999 }, () => 'x'.repeat(300)));
    const { stderr: cut } = await step(`${PUT} < {"list":${list}}`, {
      stderr: /… and 9\d\d more lines/,
    });
    expect(cut.length).toBeLessThan(100 * 220);
  });

  test('needs no settings, and stores the row if they are damaged', async () => {
    const { step, home } = await rowService({ member: '{"a":1}' });
    writeFileSync(join(home, 'settings.json'), '{');
    const damaged = /settings\.json cannot be read: it is damaged\n {2}remove it/;
    await step('storage put member --yes < {"a":2} # storage undo member 1');
    await step('LECTERN_LAUNCH= storage get member # exit 1', { stderr: damaged });
  });

  test.each([
    ['y', 0, '{"b":3}'],
    ['n', 130, '{"a":1}'],
    [KEYS.interrupt, 130, '{"a":1}'],
    [KEYS.end, 130, '{"a":1}'],
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

  test.each(
    linesIn(`
    contxt # exit 2: did you mean context?
    context nowhere.json # exit 2: no such file
    context {"a":1} # exit 2: an argument … standard in
    context [] # exit 2: an argument … standard in
    context {"api":{"token":"canary"}} # exit 2: secrets are not accepted as arguments`),
  )('rejects its arguments: storage put --yes %s', async (words) => {
    const { step } = await rowService();
    await step(`storage put --yes ${words}`, { input: '{}', lacks: 'canary', methods: [] });
  });
});

describe('storage put with a lost response', () => {
  const B = { input: '{ "b": 1.10 }' };

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
    const { step, fault, atTerminal, launch } = await rowService({ context: '{"a":1}' });
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
    written = false;
    // The query of a URL is never shown, so that a command with it cannot be.
    const hint =
      'lectern storage get URL; to restore the previous version: lectern storage undo URL 2';
    await step(`storage put ${launch.iss}/row?k=1 --yes`, { ...B, exit: 10, stderr: hint });
  });
});
