import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect } from 'vitest';
import { serveSeeded } from '../support/emulator.ts';
import { atEnd } from '../support/scope.ts';
import { EXAMPLE_SEED } from '../../src/emulator/index.ts';
import { endFirefox, firefoxTab, firefoxTest } from './firefox.ts';
import { emulatedAtNoon, TOOL } from '../browser/support.ts';

afterAll(endFirefox);

const HOURS = 60 * 60;
const STATUS = `document.querySelector('[role=status]').textContent`;
const statusIncludes = (words: string): string => `${STATUS}.includes(${JSON.stringify(words)})`;

firefoxTest('a hosted tool opens, reloads, and gets the event that its session ended', async () => {
  const emulator = await emulatedAtNoon();
  await emulator.upload(TOOL);
  const launched = await emulator.control('launch', { tool: 'sketch' });
  const { course_page: page } = launched as unknown as { course_page: string };
  const tab = await firefoxTab();
  await tab.go(page);
  await tab.until('globalThis.isReady', 'frame');
  await tab.run('listen(true)', 'frame');
  await emulator.control('clock', { advance_seconds: 12 * HOURS });
  const read = 'call(claims.storage.member).then(({ status }) => status)';
  expect(await tab.run(read, 'frame')).toBe(401);
  await tab.until(statusIncludes('handled service-session-expired and stays'));
  await tab.reload();
  await tab.until(statusIncludes('Session ended: it was idle'));
  expect(await tab.frameUrl()).toMatch(/\/_service\/ended$/);
  await tab.run(`void document.getElementById('again').click()`);
  await tab.until('globalThis.isReady', 'frame');
  expect(await tab.run(read, 'frame')).toBe(200);
  expect(tab.errors).toEqual([]);
});

firefoxTest('an external tool is launched once by a visit, reload, Back and Forward', async () => {
  const posts: string[] = [];
  const server = createServer((request, response) => {
    if (request.method === 'POST') posts.push(String(request.url));
    response.setHeader('content-type', 'text/html');
    response.end('<title>Tool</title><p>the tool</p>');
  }).listen(0, '127.0.0.1');
  atEnd(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const served = await serveSeeded({
    pid: process.pid,
    seed: {
      tools: [{ id: 'essay', callback: `http://127.0.0.1:${port}/launch` }],
      courses: [{ id: 'c', students: 1, locations: [{ id: 'l', tool: 'essay' }] }],
    },
  });
  atEnd(served.close);
  const { course_page: page } = await served.control('POST launch', {});
  const tab = await firefoxTab();
  const launched = async (times: number): Promise<void> => {
    await tab.until(`document.querySelector('p').textContent === 'the tool'`, 'frame');
    await expect.poll(() => posts.length).toBe(times);
  };
  await tab.go(page);
  await launched(1);
  await tab.reload();
  await launched(2);
  await tab.go(`${served.url}/_emulator/course/nothing`);
  await tab.move(-1);
  await launched(3);
  await tab.until(statusIncludes('Session ends in'));
  expect(posts).toEqual(Array<string>(3).fill('/launch'));
});

firefoxTest('the console opens and launches the tool of the example', async () => {
  const served = await serveSeeded({ pid: process.pid, seed: EXAMPLE_SEED });
  atEnd(served.close);
  const { code, url } = await served.control('POST console/code');
  const tab = await firefoxTab();
  await tab.go(`${url}#code=${code}`);
  await tab.until(`document.title === 'Overview · lectern emulator'`);
  const { course_page: page } = await served.control('POST launch', {});
  await tab.go(page);
  await tab.until(`document.body.textContent.includes('Nothing saved yet.')`, 'frame');
  await tab.go(`${url}traffic`);
  await tab.until(`document.body.textContent.includes('member_location')`);
  expect(tab.errors).toEqual([]);
});
