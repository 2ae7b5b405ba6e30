import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { atEnd } from '../support/scope.ts';
import { browserTest, emulatedHere, openCourse, type Course, type Emulated } from './support.ts';

const SERVER = fileURLToPath(
  new URL('../../docs/examples/external-tool/server.js', import.meta.url),
);

/** An emulator with the example's server as its tool. The server needs the address of the emulator. */
async function withServer(): Promise<Emulated> {
  const port = await freePort();
  const tool = `http://127.0.0.1:${port}`;
  const seed = {
    tools: [
      {
        id: 'essay',
        callback: `${tool}/launch`,
        provision_url: `${tool}/provision`,
        locations_url: `${tool}/locations`,
      },
    ],
    courses: [
      { id: 'biology', members: [{ id: 'amina' }], locations: [{ id: 'essay-1', tool: 'essay' }] },
      { id: 'copy', copy_of: 'biology', locations: [{ id: 'essay-2', tool: 'essay' }] },
    ],
  };
  const emulator = await emulatedHere({ seed });
  const child = spawn(process.execPath, [SERVER, emulator.url, String(port), 'essay']);
  atEnd(() => child.kill());
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the server of the example ended with ${code}`);
  });
  await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended]);
  // It is ended with the test.
  ended.catch(() => {});
  return emulator;
}

const frameText = async ({ page }: Course, words: RegExp): Promise<void> =>
  page.frameLocator('iframe').getByText(words).waitFor();

browserTest('an external tool verifies its launches by a form in a frame or a tab', async () => {
  const emulator = await withServer();
  const course = await openCourse(emulator, { tool: 'essay' });
  await frameText(course, /Hello, student/);
  await course.says('Session ends in');
  expect(await course.page.content()).not.toContain(course.claims.api.token);
  const opened = course.page.context().waitForEvent('page');
  await course.page.getByRole('button', { name: 'Open in a tab' }).click();
  await (await opened).getByText('Hello, student').waitFor();
  // As a third party the tool is reached by another name.
  const apart = await openCourse(emulator, { tool: 'essay', third_party: true });
  await frameText(apart, /Hello, student/);
  expect(new URL(apart.frame().url()).hostname).toBe('localhost');
});

const WRONG = [
  ['HS256', /Refused: signed by HS256/],
  ['plain', /Refused: signed by none/],
  ['expired', /Refused: expired/],
  ['wrong-key', /Refused: the signature is wrong/],
  ['altered', /Refused: the signature is wrong/],
] as const;
browserTest('the tool refuses a launch with a wrong signature', async () => {
  const emulator = await withServer();
  for (const [sign, words] of WRONG) {
    await frameText(await openCourse(emulator, { tool: 'essay', sign }), words);
  }
});

browserTest('the page of a tool without a callback says where to name it', async () => {
  const course = await openCourse(await emulatedHere(), { tool: 'essay' });
  await course.says('tool essay has no callback: add one to the seed');
});

browserTest('the page says that nothing listens at the callback, and launches later', async () => {
  const port = await freePort();
  const callback = `http://127.0.0.1:${port}/launch`;
  const seed = {
    tools: [{ id: 'essay', callback }],
    courses: [{ id: 'c', students: 1, locations: [{ id: 'l', tool: 'essay' }] }],
  };
  const course = await openCourse(await emulatedHere({ seed }), { tool: 'essay' });
  await course.says(`nothing listens at http://127.0.0.1:${port}: start the server of the tool`);
  const posts: string[] = [];
  const server = createServer((request, response) => {
    posts.push(`${request.method} ${request.url}`);
    response.end('the tool');
  }).listen(port, '127.0.0.1');
  atEnd(() => void server.close());
  await once(server, 'listening');
  await course.page.getByRole('button', { name: 'Launch again' }).click();
  await frameText(course, /the tool/);
  await course.says('Session ends in');
  // A reload launches once: the browser restores no frame from its history.
  await course.page.reload();
  await frameText(course, /the tool/);
  await course.page.goto('about:blank');
  await course.page.goBack();
  await frameText(course, /the tool/);
  expect(posts).toEqual(Array<string>(3).fill('POST /launch'));
});

browserTest("the example's server finishes provisioning and lists its locations", async () => {
  const { control } = await withServer();
  const { claims } = await control('provision-request', { course: 'copy' });
  const { provisioned } = (await control('state')) as unknown as { provisioned: { row: string }[] };
  expect(provisioned.map(({ row }) => row)).toEqual(
    expect.arrayContaining(['context/essay/copy', 'location/essay/essay-2']),
  );
  expect(claims.context).toBe('copy');
  expect(await control('locations-request', {})).toMatchObject({
    error: null,
    answer: { locations: [{ id: 'quiz' }] },
  });
  const { requests, findings } = await control('report');
  expect(requests).toBeGreaterThan(0);
  expect(findings).toEqual([]);
});
