import type { Request } from 'playwright-core';
import { expect } from 'vitest';
import { start, type Started } from '../cli/emulator/running.ts';
import { launchOf } from '../emulator/subject.ts';
import { binary, startBinary } from '../support/binary.ts';
import { keptPorts } from '../support/free-port.ts';
import { temporaryFolder } from '../support/lectern.ts';
import { heading, openConsole, until } from './console.ts';
import { browserTest, sharedContext } from './support.ts';

browserTest('all open tabs show a new request, also after one of them was closed', async () => {
  const { page, context, invited, launch } = await openConsole('traffic');
  const pages = [page];
  while (pages.length < 8) {
    const tab = await context.newPage();
    await tab.goto(await invited('traffic'));
    await tab.getByRole('status', { name: 'Connection' }).getByText('live').waitFor();
    pages.push(tab);
  }
  const student = await launch({ role: 'student' });
  await student.get(student.row('member'));
  for (const tab of pages) await tab.getByRole('link', { name: /GET/ }).waitFor();
  // The one that reads the stream goes; another takes over.
  await page.close();
  await student.put(student.row('member'), {});
  for (const tab of pages.slice(1)) await tab.getByRole('link', { name: /PUT/ }).waitFor();
});

browserTest('a hidden tab closes its stream and catches up when it is shown', async () => {
  const { page, launch, go } = await openConsole();
  const streams = new Set<Request>();
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/_emulator/events') streams.add(request);
  });
  for (const end of ['requestfailed', 'requestfinished'] as const) {
    page.on(end as 'requestfailed', (request) => void streams.delete(request));
  }
  await go('traffic');
  const isHeard = (): boolean => streams.size > 0;
  const turn = (state: string): Promise<unknown> =>
    page.evaluate(`(() => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });
      document.dispatchEvent(new Event('visibilitychange'));
    })()`);
  await until(isHeard, true);
  await turn('hidden');
  await until(isHeard, false);
  const student = await launch({ role: 'student' });
  await student.put(student.row('member'), {});
  await turn('visible');
  await until(isHeard, true);
  await page.getByRole('link', { name: /PUT/ }).waitFor();
  // Many requests come while it is hidden.
  await turn('hidden');
  await until(isHeard, false);
  for (let step = 0; step < 30; step++)
    await Promise.all(Array.from({ length: 50 }, () => student.get(student.row('member'))));
  await turn('visible');
  await page.getByText('1,501 requests').waitFor();
  await until(() => page.locator('tbody tr').count(), 100);
});

browserTest('unsaved text survives an emulator killed and restarted on its data', async () => {
  const [home, data] = [temporaryFolder(), temporaryFolder()];
  const ports = await keptPorts();
  const begin = (): Promise<Started> => start(['--data', data, ...ports], { home }, startBinary);
  const outputOf = async (...args: string[]): Promise<string> => {
    const { exit, stdout, stderr } = await binary(['emulator', ...args], { home });
    expect([exit, args, stderr]).toEqual([0, args, expect.any(String)]);
    return stdout.trim();
  };
  const first = await begin();
  const student = launchOf(JSON.parse(await outputOf('launch', '--role', 'student')));
  await student.put(student.row('member'), { step: 1 });
  const page = await (await sharedContext()).newPage();
  await page.goto(await outputOf('open', 'rows', '--print'));
  await page.getByRole('link', { name: 'member/essay/member-111' }).click();
  const text = page.getByRole('textbox', { name: 'Row as JSON' });
  await until(() => text.inputValue(), '{"step":1}');
  await text.fill('{"step":2}');
  first.kill('SIGKILL');
  await first.ended;
  const connection = page.getByRole('status', { name: 'Connection' });
  await connection.getByText('reconnecting').waitFor();
  await page.getByText('The emulator does not respond; this page shows').waitFor();
  await page
    .getByText(`lectern emulator start ${ports.join(' ')} --data ${data}`, { exact: true })
    .waitFor();
  const second = await begin();
  expect(second.ready).toMatchObject({ base_url: first.ready.base_url, world: 'kept' });
  await heading(page).filter({ hasText: 'Open the console from a terminal' }).waitFor();
  await page.getByText('lectern emulator open rows', { exact: true }).waitFor();
  await page.getByText('text that is not saved: member/essay/member-111').waitFor();
  await page.goto(await outputOf('open', 'rows', '--print'));
  await page.getByRole('link', { name: 'member/essay/member-111' }).click();
  await page.getByRole('status', { name: 'Edits' }).getByText('edited, not saved').waitFor();
  expect(await text.inputValue()).toBe('{"step":2}');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await until(async () => (await student.get(student.row('member'))).text, '{"step":2}');
  await connection.getByText('live').waitFor();
  await page.getByRole('link', { name: 'Traffic' }).click();
  await student.put(student.row('member'), { step: 3 });
  await page.getByRole('link', { name: /PUT/ }).first().waitFor();
  expect(await page.evaluate('Object.keys(sessionStorage)')).toEqual(['lectern-console']);
});

browserTest('the focus stays on a button that is disabled, and near a removed one', async () => {
  const { page } = await openConsole('faults');
  const focused = (): Promise<string> =>
    page.evaluate<string>(
      'document.activeElement.ariaLabel ?? document.activeElement.innerText ?? ""',
    );
  const press = async (name: string): Promise<void> => {
    const button = page.getByRole('button', { name, exact: true }).first();
    // While another of them works, it is off.
    await until(() => button.getAttribute('aria-disabled'), null);
    await button.focus();
    await page.keyboard.press('Enter');
  };
  await press('Cut');
  await press('Slow');
  await until(() => page.getByRole('button', { name: 'Remove' }).count(), 2);
  await until(focused, 'Slow');
  await press('Remove');
  await until(() => page.getByRole('button', { name: 'Remove' }).count(), 1);
  await until(focused, 'Waiting faults, table');
  await press('Remove');
  await page.getByText('None: every request').waitFor();
  await until(focused, 'Faults');
  await page.keyboard.press('g');
  await page.keyboard.press('c');
  await press('+1 hour');
  await page.getByText("1 h 0 min ahead of the machine's clock").waitFor();
  await until(focused, '+1 hour');
  await press('Back to now');
  await page.getByText("as the machine's clock").waitFor();
  await until(focused, 'Back to now');
});
