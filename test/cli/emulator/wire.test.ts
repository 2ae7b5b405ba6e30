import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { start } from '../../support/lectern.ts';
import type { Answers } from '../../../src/emulator/index.ts';
import type { Fixture, State } from '../../emulator/documents.ts';
import { emulated } from './running.ts';

describe('emulator fault', () => {
  test('applies its flags to a command', async () => {
    const { run, json } = await emulated();
    await run('emulator launch --save me');
    const submit = async (...fault: string[]): Promise<[number, number]> => {
      const args = ['emulator', 'fault', '--method', 'POST', '--path', 'scores', ...fault];
      expect([fault, (await run(args)).exit]).toEqual([fault, 0]);
      const before = (await json<State>('emulator state')).attempts.length;
      const { exit } = await run('grade submit --score 0.5');
      return [exit, (await json<State>('emulator state')).attempts.length - before];
    };
    expect(await submit('--close', 'before')).toEqual([10, 0]);
    expect(await submit('--close', 'after')).toEqual([10, 1]);
    expect(await submit('--cut')).toEqual([10, 1]);
    expect(await submit('--delay', '1')).toEqual([0, 1]);
    expect(await submit('--status', '500')).toEqual([10, 0]);
    expect(await submit('--status', '200', '--body', '<html>')).toEqual([10, 0]);
    expect(await submit('--status', '422', '--body', '{"error":"no"}')).toEqual([7, 0]);
  });

  test('lists and clears the waiting faults', async () => {
    const { run, json } = await emulated();
    const header = ['--header', 'Retry-After: 1', '--header', 'X-A:b:c'];
    await run(['emulator', 'fault', '--path', 'x', '--times', '3', '--status', '503', ...header]);
    const { faults } = await json<Answers['POST fault']>([
      'emulator',
      'fault',
      '--path',
      'y',
      '--close',
      'after',
    ]);
    expect(faults).toEqual([
      {
        id: 1,
        method: null,
        path: 'x',
        times: 3,
        effect: 'status',
        status: 503,
        body: '',
        headers: { 'retry-after': '1', 'x-a': 'b:c' },
        says: 'status 503',
      },
      {
        id: 2,
        method: null,
        path: 'y',
        times: 1,
        effect: 'close',
        when: 'after',
        says: 'close after',
      },
    ]);
    expect(await json('emulator fault list')).toEqual({ faults });
    expect(await json('emulator fault remove 1')).toEqual({ faults: faults.slice(1) });
    expect((await run('emulator fault remove 1')).exit).toBe(6);
    expect(await json('emulator fault clear')).toEqual({ faults: [] });
  });
});

describe('emulator requests', () => {
  test('prints a line for each request, also with --follow', async () => {
    const { home, started, run } = await emulated();
    await run('emulator launch --save me');
    await run('storage get member');
    const followed = start(['emulator', 'requests', '--follow', '--json'], { home });
    const lines = createInterface({ input: followed.stdout })[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await lines.next()).value);
    expect(await next()).toMatchObject({ method: 'GET', status: 200, credential: 'launch_token' });
    await run('storage put member --yes', { input: '{}' });
    expect([(await next()).method, (await next()).method]).toEqual(['GET', 'PUT']);
    const { stdout } = await run('emulator requests --json');
    expect(stdout.trimEnd().split('\n')).toHaveLength(3);
    const rows = (await run('emulator requests')).stdout.trimEnd().split('\n');
    const cells = rows.map((row) => row.split('\t').slice(2, 5).join(' '));
    expect(cells).toEqual([
      ' Amina Abara launch · essay-1',
      '200 Amina Abara (lectern) GET member row · Amina Abara',
      '200 Amina Abara (lectern) GET member row · Amina Abara',
      '204 Amina Abara (lectern) PUT member row · Amina Abara',
    ]);
    expect((await run('emulator requests --tool')).stdout.trimEnd().split('\n')).toEqual([
      rows[0]?.trimEnd(),
    ]);
    started.kill('SIGTERM');
    expect((await followed.ended).exit).toBe(0);
  });
});

describe('emulator fixture', () => {
  test('prints one JSON document, whose launches lectern can use', async () => {
    const { home, run, json } = await emulated();
    const fixture = await json<Fixture>('emulator fixture');
    expect(fixture.hooks.advance_clock.body).toEqual({ advance_seconds: '$seconds' });
    const file = join(home, 'student1.json');
    writeFileSync(file, JSON.stringify(fixture.student1));
    expect((await run(['storage', 'get', 'member', '-l', file])).stdout).toBe('{}\n');
    expect((await json<Fixture>('emulator fixture')).student1.context).not.toBe(
      fixture.student1.context,
    );
  });
});

describe('emulator export and import', () => {
  test('restore everything, and reject an incomplete file', async () => {
    const { home, run } = await emulated();
    const file = join(home, 'everything');
    await run('emulator launch --save me');
    await run('storage put member --yes', { input: '{"kept":true}' });
    writeFileSync(file, 'open to others', { mode: 0o644 });
    expect((await run(['emulator', 'export', file, '--force'])).exit).toBe(0);
    // It holds tokens.
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await run('emulator reset');
    const whole = readFileSync(file);
    writeFileSync(file, whole.subarray(0, whole.length / 2));
    const refused = await run(['emulator', 'import', file]);
    expect([refused.exit, refused.stderr]).toEqual([
      3,
      expect.stringContaining('not a valid export'),
    ]);
    expect((await run('storage get member')).exit).toBe(4);
    writeFileSync(file, whole);
    expect((await run(['emulator', 'import', file])).exit).toBe(0);
    expect((await run('storage get member --raw')).stdout).toContain('{"kept":true}');
  });

  test('can use standard output', async () => {
    const { home, run } = await emulated();
    await run('storage put member --yes', { input: '{"kept":true}' });
    const { exit, stdoutBytes, stderr } = await run('emulator export -', { cwd: home });
    expect([exit, stderr, existsSync(join(home, '-'))]).toEqual([0, '', false]);
    const file = join(home, 'everything');
    writeFileSync(file, stdoutBytes);
    expect((await run(['emulator', 'import', file])).exit).toBe(0);
  });

  test('create no folder', async () => {
    const { home, run } = await emulated();
    const { exit, stderr } = await run(['emulator', 'export', join(home, 'no', 'such')]);
    expect([exit, stderr]).toEqual([
      2,
      expect.stringContaining(`no such folder: ${join(home, 'no')}`),
    ]);
    expect(existsSync(join(home, 'no'))).toBe(false);
  });
});
