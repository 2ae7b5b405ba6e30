import { writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { send } from '../emulator/wire.ts';
import { temporaryFolder } from '../support/lectern.ts';
import { OWN_ADDRESS } from '../support/own-address.ts';
import {
  browserTest,
  courseWithTool,
  emulated,
  readyCourse,
  TOOL,
  wholeBrowserTest,
} from './support.ts';

const SEED = {
  tools: [
    { id: 'sketch', hosted: true },
    { id: 'polls', hosted: true },
  ],
  courses: [
    {
      id: 'biology',
      members: [{ id: 'amina' }],
      locations: [
        { id: 'sketch-1', tool: 'sketch' },
        { id: 'poll-1', tool: 'polls' },
      ],
    },
  ],
};

/** The status of a fetch of the frame, or `refused` by CORS. */
const reach = (url: string, init = '{}'): string =>
  `fetch(${JSON.stringify(url)}, ${init}).then(({ status }) => status, () => 'refused')`;

browserTest('a tool that another machine opens works on its course page', async () => {
  const emulator = await emulated(['--host', OWN_ADDRESS ?? '127.0.0.2']);
  await emulator.upload(TOOL);
  const course = await readyCourse(emulator);
  expect(await course.run('location.hostname')).toBe(new URL(emulator.url).hostname);
  const read = `call(claims.storage.member).then(({ status }) => status)`;
  expect(await course.run(read)).toBe(200);
});

browserTest('a tool cannot reach the course page, the top window or the control API', async () => {
  const course = await courseWithTool();
  const { url, token } = course.emulator;
  expect(
    await course.run(`(() => { try { return parent.document.title } catch { return 'no' } })()`),
  ).toBe('no');
  await course.run(`(() => { try { top.location = 'about:blank' } catch {} })()`);
  expect(course.page.url()).toBe(course.address);
  const body = `{ method: 'POST', body: '{}', headers: { 'content-type': 'text/plain', authorization: 'Bearer ${token}' } }`;
  expect(await course.run(reach(`${url}/_emulator/state`))).toBe('refused');
  expect(await course.run(reach(`${url}/_emulator/clock`, body))).toBe('refused');
  expect(await course.run(reach(course.address))).toBe('refused');
  expect(
    await course.run(reach(`${course.address}/again`, `{ method: 'POST', mode: 'cors' }`)),
  ).toBe('refused');
  expect(await course.run(reach(`${course.address}/status`))).toBe('refused');
  // Without asking for an answer the call is refused all the same: no launch is made.
  await course.run(
    `fetch(${JSON.stringify(`${course.address}/again`)}, { method: 'POST', mode: 'no-cors' })`,
  );
  const { tokens } = await course.emulator.control('state');
  expect(tokens).toHaveLength(1);
});

browserTest('no hosted tool reaches the origin, storage or launch of another one', async () => {
  const folder = temporaryFolder();
  writeFileSync(`${folder}/seed.json`, JSON.stringify(SEED));
  const emulator = await emulated(['--seed', `${folder}/seed.json`]);
  await emulator.upload(TOOL, 'sketch');
  await emulator.upload(TOOL, 'polls');
  const sketch = await readyCourse(emulator, { tool: 'sketch' });
  const polls = await readyCourse(emulator, { tool: 'polls' });
  const [one, two] = [sketch, polls].map((course) => new URL(course.frame().url()));
  expect(one?.origin).not.toBe(two?.origin);
  expect((await send('GET', `${two?.origin}${one?.pathname}`)).status).toBe(404);
  expect((await send('GET', `${two?.origin}${two?.pathname}`)).status).toBe(200);
  await sketch.run(`localStorage.setItem('secret', '1')`);
  expect(await polls.run(`localStorage.getItem('secret')`)).toBeNull();
  expect(await polls.run(reach(String(one)))).toBe('refused');
  // The claims of a launch are for its own frame.
  const ticket = one?.pathname.split('/')[2];
  expect(await polls.run(reach(`${one?.origin}/_service/${ticket}/launch.json`))).toBe('refused');
});

browserTest('a forged message changes nothing', async () => {
  const course = await courseWithTool();
  const forged = JSON.stringify({
    type: 'service-session-expired',
    launch_id: course.claims.launch_id,
    handled: true,
  });
  await course.emulator.control('clock', { advance_seconds: 12 * 60 * 60 });
  await course.says('Session ended');
  // From the page's own window, and from a window within the tool.
  await course.page.evaluate(`postMessage(${forged}, '*')`);
  await course.run(`new Promise((resolve) => {
    const inner = document.createElement('iframe');
    inner.srcdoc = '<script>top.postMessage(${forged.replaceAll('"', '&quot;')}, "*")<\\/script>'.replaceAll('"*"', "'*'");
    inner.onload = resolve;
    document.body.append(inner);
  })`);
  await course.page.waitForResponse(/status$/);
  await course.page.waitForResponse(/status$/);
  expect(await course.page.getByRole('status').innerText()).not.toContain('handled');
});

wholeBrowserTest(
  'a tool in a third-party context has no storage, and its calls work',
  async (context) => {
    const course = await courseWithTool(TOOL, {}, context);
    await course.run(`document.cookie = 'seen=1; SameSite=Lax'; localStorage.setItem('a', '1')`);
    await course.page.getByRole('switch', { name: 'As third party' }).check();
    await course.page.waitForURL(/third-party/);
    await course.says('Session ends in');
    await course.frame().waitForFunction('globalThis.isReady');
    expect(new URL(course.frame().url()).hostname).toBe('localhost');
    const read = `(() => { try { return localStorage.getItem('a') } catch { return 'throws' } })()`;
    expect(await course.run(read)).toBe('throws');
    expect(await course.run('document.cookie')).toBe('');
    expect(await course.run('call(claims.storage.member).then(({ status }) => status)')).toBe(200);
  },
);
