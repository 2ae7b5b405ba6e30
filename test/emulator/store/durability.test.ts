import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { DatabaseSync } from '@photostructure/sqlite';
import { DataInUseError } from '../../../src/emulator/index.ts';
import { bundled } from '../../support/bundled.ts';
import { serveSeeded } from '../../support/emulator.ts';
import { temporaryFolder } from '../../support/lectern.ts';
import { walCuts } from '../../support/wal.ts';
import type { ControlCall } from '../documents.ts';
import { controlOf, launchOf } from '../subject.ts';
import { hangUp, send } from '../wire.ts';

const processes: ChildProcess[] = [];

afterAll(() => {
  for (const each of processes) each.kill('SIGKILL');
});

async function start(data: string): Promise<{ child: ChildProcess; url: string }> {
  const script = await bundled(new URL('../served.ts', import.meta.url));
  const child = fork(script, [data, 'control'], { execArgv: [] });
  processes.push(child);
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message: { url: string }) => resolve(message.url));
    child.once('exit', (code) => reject(new Error(`the emulator ended with ${code}`)));
  });
  return { child, url };
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  child.kill('SIGKILL');
  await exited;
  hangUp();
}

/** Takes the port of a URL; another thread's process may have it for a moment. */
async function listening(server: Server, url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  for (;;) {
    server.listen(Number(port), hostname);
    try {
      await once(server, 'listening');
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}

async function closed(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

const control = (url: string): ControlCall => controlOf(url, 'control');

test('a data folder that was incomplete when the emulator was killed is created again', async () => {
  const made = temporaryFolder();
  const { close } = await serveSeeded({ data: made, controlToken: 'control' });
  const [database, log] = ['emulator.db', 'emulator.db-wal'].map((name) =>
    readFileSync(join(made, name)),
  ) as [Buffer, Buffer];
  await close();
  for (const end of walCuts(log)) {
    const data = temporaryFolder();
    writeFileSync(join(data, 'emulator.db'), database);
    writeFileSync(join(data, 'emulator.db-wal'), log.subarray(0, end));
    const served = await serveSeeded({ data, controlToken: 'control' });
    expect((await served.control('GET state')).courses.length).toBeGreaterThan(0);
    await served.close();
  }
});

describe('one data folder', () => {
  const served = (data: string, pid: number) => serveSeeded({ data, pid, controlToken: 'control' });

  test('is refused to a second emulator in the process, which names the first', async () => {
    const data = temporaryFolder();
    const first = await served(data, 4711);
    const refused = await served(data, 4712).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(DataInUseError);
    expect(refused).toMatchObject({ pid: 4711, message: expect.stringContaining('process 4711') });
    await first.close();
    await (await served(data, 4713)).close();
  });

  test('is refused while another process uses it, and free after that was killed', async () => {
    const data = temporaryFolder();
    const { child } = await start(data);
    await expect(served(data, 1)).rejects.toMatchObject({ pid: child.pid });
    await kill(child);
    await (await served(data, 1)).close();
  });

  test('keeps ports, tokens, clock, rows and files over an orderly restart', async () => {
    const data = temporaryFolder();
    const first = await served(data, 1);
    const { claims } = await control(first.url)('launch', { role: 'student' });
    await control(first.url)('clock', { advance_seconds: 39_600 });
    const launch = launchOf(claims);
    await launch.put(launch.row('member'), { a: 1 });
    await launch.upload('member', 'a.txt', 'hello');
    await control(first.url)('clock', { advance_seconds: 39_600 });
    await launch.get(launch.row('member'));
    const { offset_ms: offset } = await control(first.url)('clock');
    await first.close();
    hangUp();

    const second = await served(data, 2);
    expect([second.url, second.blobUrl]).toEqual([first.url, first.blobUrl]);
    expect((await control(second.url)('clock')).offset_ms).toBe(offset);
    await control(second.url)('clock', { advance_seconds: 39_600 });
    expect((await launch.get(launch.row('member'))).text).toBe('{"a":1}');
    const record = (await launch.get(launch.file('member', 'a.txt'))).json();
    expect((await send('GET', record.url)).text).toBe('hello');
    await second.close();
  });

  test('keeps the traffic and the report after a kill, and judges across it', async () => {
    const data = temporaryFolder();
    const { child, url } = await start(data);
    const launch = launchOf((await control(url)('launch', { role: 'student' })).claims);
    await send('GET', `${url}/apps/me`);
    await send('PUT', launch.file('member', 'a.txt'), { token: launch.token, json: { size: 5 } });
    expect((await launch.grade({ score: 0.5 })).status).toBe(200);
    await kill(child);

    const second = await served(data, 1);
    expect((await launch.grade({ score: 0.5 })).status).toBe(200);
    expect((await launch.get(launch.row('member'))).status).toBe(200);
    const { findings, coverage } = await second.control('GET report');
    expect(findings.map(({ code, requests }) => [code, requests])).toEqual([
      ['request.removed_endpoint', [1]],
      ['request.declaration_without_upload', [2]],
      ['request.grade_repeated', [3, 4]],
    ]);
    const met = coverage.filter(({ seen }) => seen).map(({ id }) => id);
    expect(met).toEqual(expect.arrayContaining(['launch.student', 'attempt.success']));
    const { requests } = await second.control('GET requests');
    expect(requests.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
    await second.close();
    hangUp();
  });

  test.each([
    ['is replaced if it is no database', 'no database', 0],
    ['is replaced if it is of another version', 'PRAGMA user_version = 99', 0],
    ['stays if it is as it was', '', 1],
  ])('has a file of traffic that %s', async (_, content, kept) => {
    const data = temporaryFolder();
    const first = await served(data, 1);
    await send('GET', `${first.url}/apps/me`);
    await first.close();
    hangUp();
    const file = join(data, 'traffic.db');
    if (content.startsWith('PRAGMA')) {
      const database = new DatabaseSync(file);
      database.exec(content);
      database.close();
    } else if (content !== '') writeFileSync(file, content);

    const second = await served(data, 1);
    expect((await second.control('GET requests')).requests).toHaveLength(kept);
    await send('GET', `${second.url}/apps/me`);
    expect((await second.control('GET requests')).requests).toHaveLength(kept + 1);
    await second.close();
    hangUp();
  });

  test('keeps the latest time of an attempt, so that each later one is later', async () => {
    const data = temporaryFolder();
    const first = await served(data, 1);
    const amina = launchOf((await control(first.url)('launch', { member: 'member-111' })).claims);
    const bo = launchOf((await control(first.url)('launch', { member: 'member-112' })).claims);
    const before = (await amina.grade({ score: 0.5 })).json().submitted;
    await control(first.url)('clock', { advance_seconds: -3600 });
    await first.close();
    hangUp();

    const second = await served(data, 2);
    expect((await bo.grade({ score: 0.5 })).json().submitted > before).toBe(true);
    await second.close();
  });

  test('is readable by its owner only, whatever the mode of the folder', async () => {
    const data = temporaryFolder();
    chmodSync(data, 0o755);
    // As an earlier version has left it.
    writeFileSync(join(data, 'lock.db'), '', { mode: 0o644 });
    const first = await served(data, 1);
    const { claims } = await control(first.url)('launch', {});
    await launchOf(claims).upload('member', 'a.txt', 'hello');
    const modes = readdirSync(data, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => [name, statSync(join(parentPath, name)).mode & 0o777]);
    expect(modes.length).toBeGreaterThan(2);
    expect(modes.filter(([, mode]) => mode !== 0o600)).toEqual([]);
    await first.close();
  });

  test('keeps its port if that is free again soon, and takes another if it stays taken', async () => {
    const data = temporaryFolder();
    const first = await served(data, 1);
    await first.close();
    const other = createServer();
    await listening(other, first.url);
    let waits = 0;
    const sleep = async (ms: number): Promise<void> => {
      waits += 1;
      if (waits === 3) await closed(other);
      // A process that another test starts has the sockets of this one until it runs.
      if (waits >= 3) await setTimeout(ms);
    };
    const second = await serveSeeded({ data, pid: 1, controlToken: 'control', sleep });
    expect(second.url).toBe(first.url);
    expect(waits).toBeGreaterThanOrEqual(3);
    await second.close();

    const stays = createServer();
    await listening(stays, first.url);
    const third = await serveSeeded({
      data,
      pid: 1,
      controlToken: 'control',
      sleep: async () => {},
    });
    expect(third.url).not.toBe(first.url);
    expect((await control(third.url)('launch', {})).claims.iss).toBe(third.url);
    await third.close();
    await closed(stays);
  });
});
