import { expect } from 'vitest';
import { startService } from '../support/service.ts';
import {
  browserTest,
  courseWithTool,
  emulatedAtNoon,
  type Emulated,
  openCourse,
  TOOL,
  uploadTool,
} from './support.ts';

/** Uploads as a watch does; returns the version. */
async function uploadWatched(emulator: Emulated, script: string, query = ''): Promise<number> {
  const files = { ...TOOL, 'js/tool.js': `${TOOL['js/tool.js']}${script}` };
  return (await uploadTool(emulator, `tool=sketch&watch=true${query}`, files)).code.version;
}

browserTest('an open course page launches again when a watch has uploaded new code', async () => {
  const course = await courseWithTool();
  const { emulator, page } = course;
  const version = await uploadWatched(emulator, 'globalThis.edit = 1');
  await page.waitForURL((url) => !url.pathname.endsWith(course.claims.launch_id));
  await course.frame().waitForFunction('globalThis.edit === 1');
  const before = page.url();
  const replaces = `&replaces=${version}`;
  expect(await uploadWatched(emulator, 'globalThis.edit = 2', replaces)).toBe(version);
  await page.waitForURL((url) => url.href !== before);
  await course.frame().waitForFunction('globalThis.edit === 2');
});

browserTest('a page stays at its end when code was uploaded by hand', async () => {
  const course = await courseWithTool();
  await uploadWatched(course.emulator, '');
  await course.page.waitForURL((url) => !url.pathname.endsWith(course.claims.launch_id));
  await course.emulator.upload(TOOL);
  await course.says(/Session ended: the code of the tool was replaced/);
});

browserTest('a development server is framed on its own origin, with claims and CORS', async () => {
  const emulator = await emulatedAtNoon();
  const script = `${emulator.url}/_emulator/course/_assets/service.js`;
  const server = await startService((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(
      `<!doctype html><script src="${script}"></script><main data-service-tool>dev</main>` +
        `<script type="module">${TOOL['js/tool.js']}</script>`,
    );
  });
  const course = await openCourse(emulator, { dev_url: `${server.origin}/app` });
  await course.frame().waitForFunction('globalThis.isReady');
  expect(course.frame().url()).toBe(`${server.origin}/app`);
  expect(await course.run('claims.launch_id')).toBe(course.claims.launch_id);
  expect(await course.run('call(claims.storage.member).then(({ status }) => status)')).toBe(200);
  const person = await course.run('claims.user');
  // A reload of the server's own asks again.
  await course.run('location.reload()');
  await course.frame().waitForFunction('globalThis.isReady');
  await emulator.control('token/end', { token: course.claims.api.token });
  // Its answer, 401, ends the page that asked.
  await course.run('void call(claims.storage.member)');
  const heading = course.page.frameLocator('iframe').getByRole('heading');
  await heading.filter({ hasText: 'Your session has ended' }).waitFor();
  await course.page.getByRole('button', { name: 'Launch again' }).click();
  await course.page.waitForURL((url) => !url.pathname.endsWith(course.claims.launch_id));
  await course.frame().waitForFunction('globalThis.isReady');
  expect(course.frame().url()).toBe(`${server.origin}/app`);
  expect(await course.run('claims.user')).toEqual(person);
});
