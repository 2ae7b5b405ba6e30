import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createProcesses } from '../../src/cli/adapters/processes.ts';
import { BINARY, binary } from '../support/binary.ts';
import { environment, type Running, temporaryFolder } from '../support/lectern.ts';
import { AT, startCourse } from './course-service.ts';
import { atEnd, hostileCases, waitingFor } from './support.ts';

const hostile = hostileCases('Process');

/** Starts lectern with pipes of which only standard error is read. */
function unread(args: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [BINARY, ...args], { env: environment({ env }) });
  atEnd(() => child.exitCode ?? child.signalCode ?? child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  // Its words may come after its end; its standard output, which is not read, is never closed here.
  const errorEnded = once(child.stderr, 'end');
  const exit = once(child, 'exit').then(async ([code, signal]) => {
    await errorEnded;
    return [code ?? signal, stderr] as const;
  });
  return { child, exit: waitingFor(`lectern ${args.join(' ')} to end`, exit) };
}

/** Resolves when the pipe of standard output is full: no more is read of the answer that fills it. */
async function full(child: ChildProcess): Promise<void> {
  await once(child.stdout as NonNullable<ChildProcess['stdout']>, 'readable');
}

hostile(
  {
    tried: 'standard output without a reader, and one SIGTERM or three signals',
    times: { short: 1, long: 50 },
  },
  async () => {
    const course = await startCourse(JSON.stringify({ long: 'x'.repeat(500_000) }));
    const run = async (signals: readonly NodeJS.Signals[], ...flags: string[]) => {
      const args = ['storage', 'get', 'member', ...flags];
      const { child, exit } = unread(args, { LECTERN_LAUNCH: course.launch });
      await full(child);
      for (const signal of signals) child.kill(signal);
      return exit;
    };
    const said = 'lectern: interrupted; the output was not fully read\n';
    expect(await run(['SIGTERM'])).toEqual([130, said]);
    const [code, stderr] = await run(['SIGINT', 'SIGTERM', 'SIGHUP'], '--json');
    expect(code).toBe(130);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'interrupted', exit: 130 } });
  },
);

hostile(
  {
    tried: 'SIGSTOP past the deadline, and a response that arrives in the meantime',
    times: { short: 1, long: 50 },
  },
  async () => {
    const course = await startCourse();
    let command: Running | undefined;
    const reached = course.moment({ method: 'POST', target: AT.grade, stage: 'done' });
    const ended = binary(['grade', 'submit', '--score', '0.5', '--timeout', '2'], {
      env: { LECTERN_LAUNCH: course.launch },
      started: (started) => (command = started),
    });
    const request = await reached;
    command?.kill('SIGSTOP');
    request.release();
    await new Promise((resolve) => void setTimeout(resolve, 2_200));
    command?.kill('SIGCONT');
    const { exit, stdout, stderr } = await ended;
    expect([exit, stderr]).toEqual([0, '']);
    expect(stdout).toContain('success');
  },
);

hostile(
  {
    tried: 'interrupts of emulator exec and storage edit before they start their program',
  },
  async () => {
    const folder = temporaryFolder();
    const processes = createProcesses(process, AbortSignal.abort());
    const command = ['/bin/touch', join(folder, 'started')] as const;
    await expect(processes.attach(command)).rejects.toThrow(
      'interrupted; /bin/touch was not started',
    );
    expect(readdirSync(folder)).toEqual([]);
  },
);

/** What happens while a command waits for the disk, which never answers. */
const ACCIDENTS: readonly (readonly [why: string, act: string, flags: readonly string[]])[] = [
  ['something that can no longer happen', '', []],
  ['a stray error', `setTimeout(() => { throw new Error('a stray error') })`, ['--json']],
  ['a stray promise', `Promise.reject(new Error('a stray promise'))`, []],
];

hostile(
  {
    tried: 'a wait that never ends, an uncaught error and an unhandled rejection',
    times: { short: 1, long: 20 },
  },
  async () => {
    const course = await startCourse();
    for (const [why, act, flags] of ACCIDENTS) {
      const folder = temporaryFolder();
      const module = `require('fs').read = () => { ${act} };`;
      writeFileSync(join(folder, 'accident.cjs'), module);
      const { exit, stderr } = await binary(['grade', 'submit', '--score', '1', ...flags], {
        env: {
          LECTERN_LAUNCH: course.launch,
          NODE_OPTIONS: `--require ${join(folder, 'accident.cjs')}`,
        },
      });
      expect([why, exit, stderr]).toEqual([why, 1, expect.stringContaining(why)]);
      expect(stderr).toContain('this is a bug');
    }
  },
);
