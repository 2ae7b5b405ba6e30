import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { zipOf } from '../support/zip.ts';
import { gate } from '../support/scope.ts';
import { commandShown, heading, openConsole, until } from './console.ts';
import { browserContext, browserTest } from './support.ts';

test('the console is at most 100 KB compressed', () => {
  const files = ['app.js', 'app.css', 'index.html'];
  const sizes = files.map((name) => gzipSync(readFileSync(`dist/console/${name}`)).length);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(100 * 1000);
});

browserTest('Rows keeps digits, and shows a rejected save and a conflicting change', async () => {
  const { page, launch, served } = await openConsole();
  const student = await launch({ role: 'student' });
  const row = student.row('member');
  const written =
    '{"big":1152921504606846977,"rate":1.10,"far":1e400,"x":"<img onerror=1>\\u202e"}';
  await student.call('PUT', row, { body: written });
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await heading(page).filter({ hasText: 'Rows' }).waitFor();
  await page.getByRole('link', { name: 'member/essay/member-111' }).click();
  const text = page.getByRole('textbox', { name: 'Row as JSON' });
  await until(() => text.inputValue(), written);
  await page.getByRole('meter', { name: 'Size' }).waitFor();
  await text.fill('{"a":1,}');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const mistake = 'line 1, column 7: malformed body: a trailing comma before }';
  await page.getByRole('alert').filter({ hasText: mistake }).waitFor();
  expect(await text.inputValue()).toBe('{"a":1,}');
  const mine = '{"rate":1.10,"big":1152921504606846977}';
  await text.fill(mine);
  await student.put(row, { theirs: true });
  await page.getByRole('alert').filter({ hasText: 'changed elsewhere' }).waitFor();
  expect((await student.get(row)).text).toBe('{"theirs":true}');
  await page.getByRole('button', { name: 'Overwrite it with mine' }).click();
  await until(async () => (await student.get(row)).text, mine);
  const history = page.getByRole('region', { name: 'History' });
  await history.getByText('console').waitFor();
  await until(() => history.getByRole('listitem').count(), 3);
  const { rows } = await served.control('GET state');
  expect(rows).toEqual([{ row: 'member/essay/member-111', bytes: mine.length }]);
});

browserTest('Files uploads by the signed form, downloads exact bytes, and deletes', async () => {
  const { page, served } = await openConsole('files/member/essay/member-111');
  await page.getByText(/\/members%2Fmember-111\/of%3Aessay\/files$/).waitFor();
  const html = '<script>alert(1)</script>';
  await page.getByLabel('Upload a file').setInputFiles({
    name: 'page.html',
    mimeType: 'text/html',
    buffer: Buffer.from(html),
  });
  await page.getByRole('cell', { name: 'page.html', exact: true }).waitFor();
  await page.getByRole('meter', { name: 'Files' }).getByText('1 of 100 files').waitFor({
    state: 'attached',
  });
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download page.html' }).click();
  const saved = await download;
  expect(saved.suggestedFilename()).toBe('page.html');
  expect(readFileSync(await saved.path(), 'utf8')).toBe(html);
  await page.getByRole('button', { name: 'Delete page.html' }).click();
  await page.getByText('No files yet.').waitFor();
  const { requests } = await served.control('GET requests');
  expect(requests.map(({ origin, method }) => `${origin} ${method}`)).toEqual([
    'blobs POST',
    'blobs GET',
  ]);
});

browserTest('Gradebook shows grades, every attempt with its reason, and the switches', async () => {
  const { page, launch } = await openConsole('gradebook');
  const gradebook = page.getByRole('table', { name: 'Gradebook' });
  const attempts = page.getByRole('table', { name: 'Attempts' });
  await page.getByText('The LMS has no score yet').waitFor();
  await page.getByText('No attempts yet').waitFor();
  expect([await gradebook.isVisible(), await attempts.isVisible()]).toEqual([true, true]);
  const student = await launch({ role: 'student' });
  await student.grade({ score: 0.5 });
  await gradebook.getByText('Amina Abara').waitFor();
  const lms = page.getByRole('group', { name: 'LMS' });
  const cases = [
    ['Refuse', 'lms refuse', 'refused the score', {}],
    ['Score scope only', 'lms scope score', 'line item scope', { max_score: 10 }],
    ['No column', 'lms column missing', 'location has no line item', {}],
  ] as const;
  for (const [name, command, why, more] of cases) {
    await lms.getByLabel(name).check();
    // The radio button is checked at once, the command shown once the LMS has changed.
    await commandShown(page, `&& lectern emulator ${command}`);
    await until(() => lms.getByLabel(name).isChecked(), true);
    await student.grade({ score: 0.5, ...more });
    await attempts.getByText(why).waitFor();
  }
  await lms.getByLabel('Accept').check();
  await until(() => lms.getByLabel('Accept').isChecked(), true);
  await until(async () => (await student.grade({ score: 1 })).json().status, 'success');
});

browserTest('Gradebook does not reset a switch by a response from before its change', async () => {
  const { page, served } = await openConsole('gradebook');
  const lms = page.getByRole('group', { name: 'LMS' });
  const refuse = lms.getByLabel('Refuse');
  await until(() => lms.getByLabel('Accept').isChecked(), true);
  const [world, change, asked] = [gate(), gate(), gate()];
  await page.route(/_emulator\/world/, async (route) => {
    const response = await route.fetch();
    asked.open();
    await world.opened;
    await route.fulfill({ response }).catch(() => {});
  });
  await page.route(/_emulator\/lms/, async (route) => {
    await change.opened;
    await route.continue();
  });
  await served.control('POST clock', { advance_seconds: 1 });
  await asked.opened;
  await refuse.check();
  const stale = page.waitForResponse(/_emulator\/world/);
  world.open();
  await (await stale).finished();
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))');
  expect(await refuse.isChecked()).toBe(true);
  change.open();
  await commandShown(page, '&& lectern emulator lms refuse');
  await until(() => refuse.isChecked(), true);
  // Pages load again at any time, at the end of the test too.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

browserTest('Traffic is live, filtered, paused, shows bodies, and sends again', async () => {
  const { page, launch, served } = await openConsole('traffic');
  const student = await launch({ role: 'student' });
  await page.getByRole('status', { name: 'Connection' }).getByText('live').waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await student.get(`${student.row('member')}-none`);
  await page.getByText('paused, 1 more request').waitFor();
  await page.getByText('No earlier request.').waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await student.put(student.row('member'), { step: 1 });
  const table = page.getByRole('table', { name: 'Traffic' });
  await table.getByRole('link', { name: /PUT/ }).click();
  const body = page.getByRole('region', { name: 'Request body' });
  await until(() => body.innerText(), '{\n  "step": 1\n}');
  await page.getByRole('button', { name: 'Raw' }).click();
  await until(() => body.innerText(), '{"step":1}');
  await page.getByText('authorization:').waitFor();
  await page.getByRole('button', { name: 'Send again' }).click();
  await page.getByText('sent again as request 3: 204').waitFor();
  const { requests } = await served.control('GET requests');
  expect(requests.map(({ method, status }) => [method, status])).toEqual([
    ['GET', 404],
    ['PUT', 204],
    ['PUT', 204],
  ]);
  await page.getByRole('searchbox', { name: 'Filter' }).fill('no such request');
  await page.getByText('No request matches this filter.').waitFor();
});

browserTest('Clock and Tokens show which tokens a step ends, and can end one', async () => {
  const { page, launch, go, served } = await openConsole('clock');
  await served.control('POST clock', { set: '2020-01-01' });
  await launch({ role: 'student' });
  const back = page.getByRole('listitem').filter({ hasText: 'Back to now' });
  await back.getByText('ends 1 token').waitFor();
  await back.getByRole('button').click();
  await back.getByText('ends none').waitFor();
  const student = await launch({ role: 'student' });
  await launch({ role: 'instructor' });
  await page.getByText('ends 2 tokens').first().waitFor();
  await go('tokens');
  const amina = page.getByRole('row').filter({ hasText: 'Amina Abara' }).first();
  await amina.getByRole('button', { name: 'End' }).click();
  await page.getByText('ended by hand').waitFor();
  expect((await student.get(student.row('member'))).status).toBe(401);
});

browserTest('a time of today has its date only once the clock was moved', async () => {
  const noon = Date.UTC(2026, 9, 13, 12);
  const { page, launch, served, go } = await openConsole(
    'tokens',
    { now: () => noon },
    await browserContext(),
  );
  await page.clock.setFixedTime(noon);
  const student = await launch();
  await student.put(student.row('member'), {});
  await student.grade({ score: 1 });
  await page.getByRole('cell', { name: '12:00:00', exact: true }).waitFor();
  await served.control('POST clock', { advance_seconds: 60 });
  const row = 'rows/member/essay/member-111';
  for (const path of ['', 'traffic', 'gradebook', 'tokens', 'clock', row]) {
    await go(path);
    await until(async () => {
      const times = await page
        .locator('main')
        .getByText(/\d\d:\d\d:\d\d/)
        .allInnerTexts();
      return times.length > 0 && times.every((each) => each.includes('2026-10-1'));
    }, true);
  }
});

browserTest('Tools takes or rejects the code of a tool', async () => {
  const { page } = await openConsole('tools');
  const sketch = page.getByRole('region', { name: 'Sketchpad', exact: true });
  const upload = async (name: string): Promise<void> =>
    sketch.getByLabel('Upload code').setInputFiles({
      name: 'tool.zip',
      mimeType: 'application/zip',
      buffer: Buffer.from(zipOf([{ name, content: 'hello' }])),
    });
  await upload('voshi.json');
  await sketch.getByRole('alert').filter({ hasText: 'voshi.json' }).waitFor();
  await upload('index.html');
  await sketch.getByText('1 file, 5 B').waitFor();
  // The only tool that opens is the first.
  await until(() => page.locator('main section').first().getAttribute('aria-label'), 'Sketchpad');
});
