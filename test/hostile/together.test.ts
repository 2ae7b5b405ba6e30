import { expect } from 'vitest';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { AT, startCourse } from './course-service.ts';
import { start, startUntil } from './started.ts';
import { hostile } from './support.ts';

const area = 'Process';
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
    area,
    tried: 'two lecterns that put, patch and edit one row at the same moment',
    times: { short: 1, long: 50 },
    limitMs: 30_000,
    found: 'what one of two wrote was in no before-image, and nobody had seen it',
  },
  async () => {
    const course = await startCourse();
    const home = temporaryFolder();
    const first = await startUntil(course, { method: 'PUT', target: AT.row, stage: 'asked' }, PUT, {
      home,
      input: '{"by":"put"}',
    });
    const others = [
      start(course, ['storage', 'patch', 'member', '--add', '/patched:=1'], { home }),
      start(course, PUT, { home, input: '{"by":"second put"}' }),
    ];
    await Promise.all(others.map(({ says }) => says('another lectern is writing the member row')));
    expect(course.requests.map(({ method }) => method)).toEqual(['GET', 'PUT']);
    first.held.release();
    const ended = await Promise.all([first, ...others].map((each) => each.ended));
    expect(ended.map(({ exit }) => exit)).toEqual([0, 0, 0]);

    const images = await history(home);
    expect(images[0]).toEqual({
      command: 'storage put',
      outcome: 'written',
      before: '{"a":1,"b":2}',
    });
    expect(images[1]?.before).toBe('{"by":"put"}');
    const last =
      images[2]?.command === 'storage put' ? '{"by":"put","patched":1}' : '{"by":"second put"}';
    expect(images[2]?.before).toBe(last);
  },
);

hostile(
  {
    area,
    tried: 'a row whose writer is stopped, and one whose writer is killed (kill -9)',
    times: { short: 1, long: 50 },
    limitMs: 30_000,
  },
  async () => {
    const course = await startCourse();
    const home = temporaryFolder();
    const moment = { method: 'PUT', target: AT.row, stage: 'asked' } as const;
    const writer = await startUntil(course, moment, PUT, { home, input: '{"by":"the first"}' });
    writer.child.kill('SIGSTOP');
    const waiting = start(course, PUT, { home, input: '{"by":"the second"}' });
    await waiting.says('another lectern is writing the member row');
    waiting.child.kill('SIGINT');
    expect(await waiting.ended).toMatchObject({
      exit: 130,
      stderr: expect.stringContaining('lectern: interrupted\n'),
    });

    const next = start(course, PUT, { home, input: '{"by":"the third"}' });
    await next.says('another lectern is writing the member row');
    writer.child.kill('SIGKILL');
    expect((await next.ended).exit).toBe(0);
    expect(course.row('member')).toBe('{"by":"the third"}');
    expect(await history(home)).toEqual([
      { command: 'storage put', outcome: 'in_doubt', before: '{"a":1,"b":2}' },
      { command: 'storage put', outcome: 'written', before: '{"a":1,"b":2}' },
    ]);
  },
);
