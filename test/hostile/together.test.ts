import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { binary } from '../support/binary.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { AT, startCourse } from './course-service.ts';
import { start, startUntil } from './started.ts';
import { hostileCases } from './support.ts';

const hostile = hostileCases('Process');

const PUT = ['storage', 'put', 'member', '--yes'];

/** What the history of a home holds, the oldest first. */
async function history(home: string) {
  const { stdout } = await lectern(['storage', 'history', '--json'], { home });
  const entries = JSON.parse(stdout) as { id: number; command: string; outcome: string }[];
  return Promise.all(
    entries.reverse().map(async ({ id, command, outcome }) => {
      const image = await lectern(['storage', 'history', '--show', `${id}`], { home });
      return { command, outcome, before: image.stdout };
    }),
  );
}

hostile(
  {
    tried: 'a row whose writer is stopped, and one whose writer is killed (kill -9)',
    times: { short: 1, long: 50 },
  },
  async () => {
    const course = await startCourse();
    const home = temporaryFolder();
    const moment = { method: 'PUT', target: AT.row, stage: 'asked' } as const;
    const writer = await startUntil(course, moment, PUT, { home, input: '{"by":"the first"}' });
    writer.kill('SIGSTOP');
    const waiting = start(course, PUT, { home, input: '{"by":"the second"}' });
    await waiting.says('waiting for another lectern process that is writing the member row');
    waiting.kill('SIGINT');
    expect(await waiting.ended).toMatchObject({
      exit: 130,
      stderr: expect.stringContaining('lectern: interrupted\n'),
    });

    const next = start(course, PUT, { home, input: '{"by":"the third"}' });
    await next.says('waiting for another lectern process that is writing the member row');
    writer.kill('SIGKILL');
    expect((await next.ended).exit).toBe(0);
    expect(course.row()).toBe('{"by":"the third"}');
    expect(await history(home)).toEqual([
      { command: 'storage put', outcome: 'in_doubt', before: '{"a":1,"b":2}' },
      { command: 'storage put', outcome: 'written', before: '{"a":1,"b":2}' },
    ]);
  },
);

hostile(
  {
    tried: 'ten lecterns at once in a new home: saves, reads, grades, patches',
    times: { short: 1, long: 50 },
  },
  async () => {
    const course = await startCourse();
    const home = temporaryFolder();
    const commands = [
      ['launch', 'save', 'one', course.launch],
      ['launch', 'save', 'two', course.launch],
      ['storage', 'get', 'member'],
      ['storage', 'patch', 'member', '--add', '/x:=1'],
      ['storage', 'patch', 'member', '--add', '/y:=2'],
      ['storage', 'patch', 'member_location', '--add', '/z:=3'],
      ['grade', 'submit', '--score', '0.1'],
      ['grade', 'submit', '--score', '0.2'],
      ['grade', 'submit', '--score', '0.3'],
      ['storage', 'history', 'off'],
    ];
    const started = commands.map((args) => start(course, args, { home }));
    const results = await Promise.all(started.map(({ ended }) => ended));
    const failed = results.filter(({ exit }) => exit !== 0).map(({ stderr }) => stderr);
    expect(failed).toEqual([]);
    expect(readdirSync(join(home, 'launches')).sort()).toEqual(['one.json', 'two.json']);
    const settings = JSON.parse(readFileSync(join(home, 'settings.json'), 'utf8')) as unknown;
    // Of two settings that are written at once neither is lost.
    expect(settings).toEqual({
      currentLaunch: expect.stringMatching(/^(one|two)$/),
      history: false,
    });
    expect(JSON.parse(course.row())).toEqual({ a: 1, b: 2, x: 1, y: 2 });
    const log = await binary(['grade', 'log', '--json'], { home });
    expect(log.stdout.trimEnd().split('\n')).toHaveLength(3);
    expect(course.grades()).toHaveLength(3);
    expect(readdirSync(home).filter((name) => /tmp|-wal|-shm/.test(name))).toEqual([]);
  },
);
