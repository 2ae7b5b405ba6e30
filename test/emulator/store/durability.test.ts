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
import { temporaryFolder } from '../../support/lectern.ts';
import { walCuts } from '../../support/wal.ts';
import { controlOf, emulated, type Emulated, launchOf } from '../subject.ts';
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

test('a data folder that was incomplete when the emulator was killed is created again', async () => {
  const made = temporaryFolder();
  const { close } = await emulated({ data: made });
  const [database, log] = ['emulator.db', 'emulator.db-wal'].map((name) =>
    readFileSync(join(made, name)),
  ) as [Buffer, Buffer];
  await close();
  for (const end of walCuts(log)) {
    const data = temporaryFolder();
    writeFileSync(join(data, 'emulator.db'), database);
    writeFileSync(join(data, 'emulator.db-wal'), log.subarray(0, end));
    const served = await emulated({ data });
    expect((await served.control('state')).courses.length).toBeGreaterThan(0);
    await served.close();
  }
});

describe('one data folder', () => {
  test('is refused to a second emulator in the process, which names the first', async () => {
    const data = temporaryFolder();
    const first = await emulated({ data, pid: 4711 });
    const refused = await emulated({ data, pid: 4712 }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(DataInUseError);
    expect(refused).toMatchObject({ pid: 4711, message: expect.stringContaining('process 4711') });
    await first.close();
    await emulated({ data });
  });

  test('is refused while another process uses it, and free after that was killed', async () => {
    const data = temporaryFolder();
    const { child } = await start(data);
    await expect(emulated({ data })).rejects.toMatchObject({ pid: child.pid });
    await kill(child);
    await emulated({ data });
  });

  test('keeps ports, tokens, clock, rows and files over an orderly restart', async () => {
    const data = temporaryFolder();
    const first = await emulated({ data });
    const launch = await first.launch();
    const later = ({ control }: Emulated) => control('clock', { advance_seconds: 39_600 });
    await later(first);
    await launch.put(launch.row('member'), { a: 1 });
    await launch.upload('member', 'a.txt', 'hello');
    await later(first);
    await launch.get(launch.row('member'));
    const { offset_ms: offset } = await first.control('clock');
    await first.close();

    const second = await emulated({ data });
    const { url, blobUrl } = first.served;
    expect(second.served).toMatchObject({ url, blobUrl });
    expect((await second.control('clock')).offset_ms).toBe(offset);
    await later(second);
    expect((await launch.get(launch.row('member'))).text).toBe('{"a":1}');
    const record = (await launch.get(launch.file('member', 'a.txt'))).json();
    expect((await send('GET', record.url)).text).toBe('hello');
  });

  test('keeps the traffic and the report after a kill, and judges across it', async () => {
    const data = temporaryFolder();
    const { child, url } = await start(data);
    const launch = launchOf((await controlOf(url, 'control')('launch', {})).claims);
    await send('GET', `${url}/apps/me`);
    await send('PUT', launch.file('member', 'a.txt'), { token: launch.token, json: { size: 5 } });
    expect((await launch.grade({ score: 0.5 })).status).toBe(200);
    await kill(child);

    const { control } = await emulated({ data });
    expect((await launch.grade({ score: 0.5 })).status).toBe(200);
    expect((await launch.get(launch.row('member'))).status).toBe(200);
    const { findings, coverage } = await control('report');
    expect(findings.map(({ code, requests }) => [code, requests])).toEqual([
      ['request.removed_endpoint', [1]],
      ['request.declaration_without_upload', [2]],
      ['request.grade_repeated', [3, 4]],
    ]);
    const met = coverage.filter(({ seen }) => seen).map(({ id }) => id);
    expect(met).toEqual(expect.arrayContaining(['launch.student', 'attempt.success']));
    const { requests } = await control('requests');
    expect(requests.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
  });

  test.each([
    ['is replaced if it is no database', 'no database', 0],
    ['is replaced if it is of another version', 'PRAGMA user_version = 99', 0],
    ['stays if it is as it was', '', 1],
  ])('has a file of traffic that %s', async (_, content, kept) => {
    const data = temporaryFolder();
    const first = await emulated({ data });
    await send('GET', `${first.served.url}/apps/me`);
    await first.close();
    const file = join(data, 'traffic.db');
    if (content.startsWith('PRAGMA')) {
      const database = new DatabaseSync(file);
      database.exec(content);
      database.close();
    } else if (content !== '') writeFileSync(file, content);

    const second = await emulated({ data });
    expect((await second.control('requests')).requests).toHaveLength(kept);
    await send('GET', `${second.served.url}/apps/me`);
    expect((await second.control('requests')).requests).toHaveLength(kept + 1);
  });

  test('keeps the latest time of an attempt, so that each later one is later', async () => {
    const data = temporaryFolder();
    const first = await emulated({ data });
    const [amina, bo] = [await first.launch(), await first.launch({ member: 'member-112' })];
    const before = (await amina.grade({ score: 0.5 })).json().submitted;
    await first.control('clock', { advance_seconds: -3600 });
    await first.close();

    await emulated({ data });
    expect((await bo.grade({ score: 0.5 })).json().submitted > before).toBe(true);
  });

  test('is readable by its owner only, whatever the mode of the folder', async () => {
    const data = temporaryFolder();
    chmodSync(data, 0o755);
    // As an earlier version has left it.
    writeFileSync(join(data, 'lock.db'), '', { mode: 0o644 });
    const { launch } = await emulated({ data });
    await (await launch()).upload('member', 'a.txt', 'hello');
    const modes = readdirSync(data, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => [name, statSync(join(parentPath, name)).mode & 0o777]);
    expect(modes.length).toBeGreaterThan(2);
    expect(modes.filter(([, mode]) => mode !== 0o600)).toEqual([]);
  });

  test('keeps its port if that is free again soon, and takes another if it stays taken', async () => {
    const data = temporaryFolder();
    const first = await emulated({ data });
    const { url } = first.served;
    await first.close();
    const other = createServer();
    await listening(other, url);
    let waits = 0;
    const sleep = async (ms: number): Promise<void> => {
      waits += 1;
      if (waits === 3) await closed(other);
      // A process that another test starts has the sockets of this one until it runs.
      if (waits >= 3) await setTimeout(ms);
    };
    const second = await emulated({ data, sleep });
    expect(second.served.url).toBe(url);
    expect(waits).toBeGreaterThanOrEqual(3);
    await second.close();

    const stays = createServer();
    await listening(stays, url);
    const third = await emulated({ data, sleep: async () => {} });
    expect(third.served.url).not.toBe(url);
    expect((await third.launch()).claims.iss).toBe(third.served.url);
    await closed(stays);
  });
});
