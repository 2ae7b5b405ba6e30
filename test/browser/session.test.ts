import type { Frame } from 'playwright-core';
import { expect } from 'vitest';
import { send } from '../emulator/wire.ts';
import { startService, text } from '../support/service.ts';
import {
  browserContext,
  browserTest,
  courseWithTool,
  emulatedAtNoon,
  openCourse,
  readyCourse,
  TOOL,
  type Course,
  type Emulated,
} from './support.ts';

const HOURS = 60 * 60;
const MEMBER = 'claims.storage.member';
/** The status that a call of the frame is answered with. */
const statusOf = (call: string): string => `${call}.then(({ status }) => status)`;
const READ = statusOf(`call(${MEMBER})`);

async function atEnded({ page }: Course): Promise<void> {
  await page
    .frameLocator('iframe')
    .getByRole('heading', { name: 'Your session has ended' })
    .waitFor();
}

browserTest('three calls rejected at once give one event, and each gets its 401', async () => {
  const course = await courseWithTool();
  await course.run('listen(true)');
  await course.emulator.control('clock', { advance_seconds: 12 * HOURS });
  const three = `Promise.all([${READ}, ${READ}, ${READ}])`;
  expect(await course.run(three)).toEqual([401, 401, 401]);
  await course.says('The tool handled service-session-expired and stays.');
  expect(await course.run(READ)).toBe(401);
  expect(await course.run('heard')).toEqual([
    { detail: { launch_id: course.claims.launch_id }, target: 'MAIN', composed: true },
  ]);
  expect(course.frame().url()).toContain('/l/');
});

browserTest('each frame and each page of a launch gets its own event', async () => {
  const emulator = await emulatedAtNoon();
  await emulator.upload({ ...TOOL, 'other.html': TOOL['index.html'] });
  const course = await readyCourse(emulator);
  await course.run('listen(true)');
  const other = await course.page.context().newPage();
  await other.goto(course.address);
  const tab: Course = { ...course, page: other, frame: () => other.frames()[1] as Frame };
  await tab.frame().waitForFunction('globalThis.isReady');
  await emulator.control('clock', { advance_seconds: 12 * HOURS });
  expect(await course.run(READ)).toBe(401);
  await course.says('handled service-session-expired and stays');
  await tab.frame().evaluate(`void ${READ}`);
  await atEnded(tab);
  // The tool that stayed goes to another page of its own, which handles nothing.
  await course.frame().goto(new URL('other.html', course.frame().url()).href);
  await course.frame().waitForFunction('globalThis.isReady');
  await course.run(`void ${READ}`);
  await atEnded(course);
  const status = await (await fetch(`${course.address}/status`)).json();
  expect(status).toMatchObject({ unnoticed: false });
});

browserTest('XMLHttpRequest also triggers the event, and logs no error', async () => {
  const { origin } = await startService(text(200, 'ok', { 'access-control-allow-origin': '*' }));
  const course = await courseWithTool();
  const errors: string[] = [];
  course.page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  const asked = (url: string, head = ''): Promise<number> =>
    course.run(`new Promise((resolve) => {
      const request = new XMLHttpRequest();
      request.open('GET', ${url});
      ${head}
      request.onloadend = () => setTimeout(resolve, 0, request.status);
      request.send();
    })`);
  expect([await asked(JSON.stringify(origin)), errors]).toEqual([200, []]);
  await course.run('listen(true)');
  await course.emulator.control('clock', { advance_seconds: 12 * HOURS });
  const bearer = `request.setRequestHeader('Authorization', 'Bearer ' + claims.api.token);`;
  expect(await asked(MEMBER, bearer)).toBe(401);
  await course.says('handled service-session-expired');
  expect(await course.run('heard.length')).toBe(1);
});

browserTest('403, 422, the 401 of another token and an injected 401 end no session', async () => {
  const course = await courseWithTool();
  await course.run('listen(false)');
  const { control, blobUrl } = course.emulator;
  const json = `{ method: 'PUT', body: '{}', headers: { 'content-type': 'application/json' } }`;
  expect(await course.run(statusOf(`call(claims.storage.context, ${json})`))).toBe(403);
  const bad = json.replace("'{}'", "'[]'");
  expect(await course.run(statusOf(`call(${MEMBER}, ${bad})`))).toBe(422);
  const other = `{ headers: { authorization: 'Bearer lt_other' } }`;
  expect(await course.run(statusOf(`call(${MEMBER}, ${other})`))).toBe(401);
  expect(await course.run(statusOf(`fetch(${MEMBER})`))).toBe(401);
  expect(await course.run(statusOf(`call(${JSON.stringify(`${blobUrl}/none`)})`))).toBe(400);
  await control('fault', { path: '.', status: 401 });
  expect(await course.run(READ)).toBe(401);
  expect(await course.run(READ)).toBe(200);
  expect(await course.run('heard')).toEqual([]);
  await course.says('Session ends in');
});

const WORKER = `onmessage = async ({ data: [url, token] }) => {
  const headers = { authorization: 'Bearer ' + token };
  postMessage((await fetch(url, { headers })).status);
};`;
const READ_IN_WORKER = `new Promise((resolve) => {
  const worker = new Worker('worker.js');
  worker.onmessage = ({ data }) => resolve(data);
  worker.postMessage([${MEMBER}, claims.api.token]);
})`;

/** Two launches of one tool, of which the first handles the event. */
async function handlingAndNot(emulator: Emulated): Promise<[Course, Course]> {
  const courses: [Course, Course] = [await readyCourse(emulator), await readyCourse(emulator)];
  await courses[0].run('listen(true)');
  return courses;
}

browserTest('a rejected call of a Worker also triggers an event from the course page', async () => {
  const emulator = await emulatedAtNoon();
  await emulator.upload({ ...TOOL, 'worker.js': WORKER });
  const [handling, other] = await handlingAndNot(emulator);
  await emulator.control('clock', { advance_seconds: 12 * HOURS });
  await other.run(`void ${READ_IN_WORKER}`);
  expect(await handling.run(READ_IN_WORKER)).toBe(401);
  await handling.says('The tool handled service-session-expired and stays.');
  expect(await handling.run('heard')).toEqual([
    { detail: { launch_id: handling.claims.launch_id }, target: 'MAIN', composed: true },
  ]);
  await atEnded(other);
  await other.says('The frame went to the session-ended page.');
});

browserTest('a tool whose policy only allows calls to the API gets the event', async () => {
  const emulator = await emulatedAtNoon();
  const policy = `default-src 'none'; script-src 'self'; connect-src ${emulator.url}`;
  const meta = `<meta http-equiv="content-security-policy" content="${policy}">`;
  const html = TOOL['index.html'].replace('<title>', `${meta}<title>`);
  await emulator.upload({ ...TOOL, 'index.html': html });
  const [handling, other] = await handlingAndNot(emulator);
  expect(await handling.run(READ)).toBe(200);
  await emulator.control('clock', { advance_seconds: 12 * HOURS });
  expect(await handling.run(READ)).toBe(401);
  await handling.says('The tool handled service-session-expired and stays.');
  expect(await handling.run('heard.length')).toBe(1);
  await other.run(`void ${READ}`);
  await atEnded(other);
  await other.says('The frame went to the session-ended page.');
});

browserTest('a frame without the emulator’s script goes to the session-ended page', async () => {
  const emulator = await emulatedAtNoon();
  await emulator.upload({ ...TOOL, 'notes.txt': 'still' });
  const course = await readyCourse(emulator);
  await course.frame().goto(new URL('notes.txt', course.frame().url()).href);
  await emulator.control('clock', { advance_seconds: 12 * HOURS });
  const headers = { origin: new URL(course.frame().url()).origin };
  const { api, storage } = course.claims;
  expect((await send('GET', storage.member, { token: api.token, headers })).status).toBe(401);
  await atEnded(course);
  await course.says("did not run the emulator's script");
});

browserTest('a reload in a single-page tool shows an explanation in the frame', async () => {
  const course = await courseWithTool();
  await course.run(`void history.pushState(null, '', 'lesson/3')`);
  await course.run('void location.reload()');
  const frame = course.page.frameLocator('iframe');
  await frame.getByRole('heading', { name: 'The tool has no file lesson/3' }).waitFor();
  await frame.getByRole('link', { name: 'Open the first page of the tool' }).click();
  // The explaining page allows no `eval`, which waiting for an expression is until it has gone.
  await expect.poll(() => course.run('globalThis.isReady').catch(() => undefined)).toBe(true);
  await course.run(`void history.pushState(null, '', '/lesson/3')`);
  await course.run('void location.reload()');
  await frame.getByRole('heading', { name: 'There is nothing at /lesson/3' }).waitFor();
});

browserTest('the course page adds no request to Traffic and logs no error', async () => {
  const emulator = await emulatedAtNoon();
  await emulator.upload(TOOL);
  const context = await browserContext();
  const errors: string[] = [];
  context.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  const course = await openCourse(emulator, {}, context);
  await course.frame().waitForFunction('globalThis.isReady');
  await course.page.reload();
  await course.page.goto(`${emulator.url}/_emulator/course/nothing`);
  expect((await emulator.control('requests')).total).toBe(0);
  // The page of a launch that there is not is 404 itself.
  expect(errors.filter((each) => !each.includes('404'))).toEqual([]);
});

browserTest('Launch again shows a message after a reset and without an emulator', async () => {
  const emulator = await emulatedAtNoon();
  await emulator.upload(TOOL);
  const course = await readyCourse(emulator);
  const errors: string[] = [];
  course.page.on('pageerror', ({ message }) => errors.push(message));
  const again = course.page.getByRole('button', { name: 'Launch again' });
  await emulator.control('reset', {});
  await again.click();
  await course.says('make a new one: lectern emulator launch --open');
  await emulator.close();
  await again.click();
  await course.says('Start the emulator again (lectern emulator start)');
  expect(errors).toEqual([]);
});

browserTest('a rejected launch shows the reason', async () => {
  const course = await courseWithTool();
  await course.emulator.control('member/remove', { member: 'member-111' });
  await course.page.getByRole('button', { name: 'Launch again' }).click();
  await course.says('in course biology-101, which this person has left');
  await course.emulator.control('tool', { tool: 'sketch', action: 'suspend' });
  await course.page.getByRole('button', { name: 'Launch again' }).click();
  await course.says('tool sketch is suspended and cannot be launched');
});

browserTest('the course page of a session that has ended shows no tool', async () => {
  const course = await courseWithTool();
  await course.emulator.control('clock', { advance_seconds: 12 * HOURS });
  await course.page.reload();
  await atEnded(course);
  expect(await course.frame().content()).not.toContain('<script');
  await course.says('idle');
  await course.emulator.control('reset', {});
  await course.says('This launch is gone');
  const again = await course.page.goto(course.address);
  expect(again?.status()).toBe(404);
});

browserTest('the event goes to the first custom element if no element is marked', async () => {
  const course = await courseWithTool({
    ...TOOL,
    'index.html': `<font-x hidden></font-x><my-tool></my-tool><script type="module" src="js/tool.js"></script>`,
  });
  await course.run('listen(true)');
  await course.emulator.control('clock', { advance_seconds: 12 * HOURS });
  await course.run(READ);
  await course.says('stays');
  expect(await course.run('heard[0].target')).toBe('FONT-X');
});

browserTest('a removed listener gets no event, and a listener that is an object does', async () => {
  const course = await courseWithTool();
  await course.run(`
    globalThis.removed = () => heard.push('removed');
    document.body.addEventListener('service-session-expired', removed);
    document.body.removeEventListener('service-session-expired', removed);
    document.body.addEventListener('service-session-expired', {
      handleEvent(event) { heard.push('object'); event.preventDefault(); },
    });`);
  await course.emulator.control('clock', { advance_seconds: 12 * HOURS });
  await course.run(READ);
  await course.says('stays');
  expect(await course.run('heard')).toEqual(['object']);
});
