import { expect } from 'vitest';
import type { Served } from '../../src/emulator/index.ts';
import { heading, openConsole, until } from './console.ts';
import { browserContext, browserTest } from './support.ts';

const MB = 1024 * 1024;

/** A row as it is stored; '' if it was never written. */
function textOf({ emulator }: Served, key: string): string {
  return Buffer.from(emulator.state.rows.body(key) ?? '').toString();
}

browserTest('Rows saves a row of exactly 1 MB, and one of 1,000 levels', async () => {
  const { page, served } = await openConsole('rows/context/essay/biology-101');
  const text = page.getByRole('textbox', { name: 'Row as JSON' });
  const stored = (): string => textOf(served, 'context/essay/biology-101');
  const save = page.getByRole('button', { name: 'Save', exact: true });
  const edits = page.getByRole('status', { name: 'Edits' });
  const full = `{"text":"${'x'.repeat(MB - '{"text":""}'.length)}"}`;
  await text.fill(full);
  await save.click();
  await until(() => stored() === full, true);
  await page.getByText('1.0 MB of 1.0 MB as compact JSON').last().waitFor();
  await text.fill(full.replace('x', 'xx'));
  await save.click();
  await page.getByRole('alert').filter({ hasText: 'limit' }).waitFor();
  expect(stored() === full).toBe(true);
  const deep = `{"a":${'['.repeat(999)}1.10${']'.repeat(999)}}`;
  await text.fill(deep);
  await save.click();
  await until(() => stored() === deep, true);
  // What is stored is known to the page a moment later.
  await until(() => edits.innerText(), '');
  await page.getByRole('button', { name: 'Format' }).click();
  await edits.getByText('edited, not saved').waitFor();
  await page.getByRole('button', { name: 'Undo edits' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Undo edits' }).click();
  await until(async () => (await text.inputValue()) === deep, true);
});

browserTest('markup, escapes and bidi characters of stored data are shown as text', async () => {
  const evil = '<img src=x onerror=alert(1)>\u202Egnp.\u001B[31m\u2066';
  const person = { id: 'eve', given_name: evil, family_name: 'Evil', groups: ['student'] };
  const seed = {
    tools: [{ id: 'essay', name: evil }],
    courses: [
      {
        id: 'odd',
        title: evil,
        members: [person],
        locations: [{ id: 'one', tool: 'essay', title: evil }],
      },
    ],
  };
  const { page, launch, served, go } = await openConsole('', { seed });
  const student = await launch({ role: 'student' });
  await student.call('PUT', student.row('member'), {
    body: `{"${evil.replace('\u001B', '')}":1}`,
  });
  await student.upload('member', 'a.txt', 'x', { filename: 'a.txt', mimetype: 'text/html' });
  await student.grade({ score: 0.5, comment: evil });
  await served.control('POST lms', { refuse: { status: 422, body: evil } });
  await student.grade({ score: 0.5, comment: evil });
  const marked = '\\u{202e}gnp.\\u{1b}[31m\\u{2066}';
  const pages = ['', 'launch', 'rows', 'files', 'gradebook', 'tokens', 'tools', 'clock'];
  for (const path of [...pages, 'rows/member/essay/eve', 'traffic/1']) {
    await go(path);
    await page.getByText('gnp').first().waitFor({ state: 'attached' });
    const found = await page.evaluate<[string, string | null, number]>(`[
      document.title,
      /[\\u001B\\u202A-\\u202E\\u2066-\\u2069]/.exec(document.documentElement.textContent)?.[0] ?? null,
      document.querySelectorAll('img').length,
    ]`);
    expect([path, ...found.slice(1)]).toEqual([path, null, 0]);
  }
  await go('gradebook');
  const why = page.getByRole('table', { name: 'Attempts' }).getByText(marked);
  await until(() => why.count().then((count) => count > 0), true);
  await go('rows/member/essay/eve');
  await page.getByText('characters that cannot be seen').waitFor();
});

browserTest('keyboard shortcuts can be turned off and on, and the setting persists', async () => {
  const { page } = await openConsole();
  const go = async (): Promise<void> => {
    await page.keyboard.press('g');
    await page.keyboard.press('r');
  };
  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: 'Keys' });
  const toggle = keys.getByLabel('Use these keys');
  await toggle.uncheck();
  await page.keyboard.press('Escape');
  await keys.waitFor({ state: 'hidden' });
  await go();
  await page.keyboard.press('?');
  await page.reload();
  await heading(page).filter({ hasText: 'Overview' }).waitFor();
  await go();
  await page.keyboard.press('/');
  // The button comes after the keys: had they done something, it would be seen by now.
  await page.getByRole('button', { name: 'Keys' }).click();
  await keys.waitFor();
  expect(await heading(page).innerText()).toBe('Overview');
  await toggle.check();
  await keys.getByRole('button', { name: 'Close' }).click();
  await keys.waitFor({ state: 'hidden' });
  await go();
  await heading(page).filter({ hasText: 'Rows' }).waitFor();
  const filter = page.getByRole('searchbox', { name: 'Filter' });
  await filter.waitFor();
  await page.keyboard.press('/');
  await until(() => filter.evaluate((each) => each === each.ownerDocument.activeElement), true);
});

browserTest('a revealed secret is hidden after 30 seconds', async () => {
  const { page, go } = await openConsole('', {}, await browserContext());
  // The page's clock, turned on by hand.
  await page.clock.install();
  await go('launch');
  await page.getByRole('button', { name: 'Launch', exact: true }).click();
  await page.getByRole('button', { name: 'Reveal token' }).click();
  await page.getByText(/^lt_/).waitFor();
  await page.clock.fastForward(30_000);
  await page.getByText(/^lt_/).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Reveal token' }).click();
  await page.getByRole('button', { name: 'Hide token' }).click();
  await page.getByText(/^lt_/).waitFor({ state: 'detached' });
  await go('tools');
  await page.getByRole('button', { name: 'Reveal API key of essay' }).click();
  await page.getByText(/^key_/).waitFor();
  await page.clock.fastForward(30_000);
  await page.getByText(/^key_/).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Reveal API key of essay' }).waitFor();
});

browserTest('a filter and a page follow the address: a link, Back, past the last', async () => {
  const { page, served, go } = await openConsole('rows?search=context');
  const filter = page.getByRole('searchbox', { name: 'Filter' });
  const rows = (): Promise<number> => page.locator('tbody tr').count();
  await until(() => filter.inputValue(), 'context');
  await page.getByText('context/essay/biology-101').waitFor();
  await until(() => page.getByText('location/essay/essay-102').count(), 0);
  await page
    .getByRole('navigation', { name: 'Console' })
    .getByRole('link', { name: 'Rows' })
    .click();
  await page.getByText('location/essay/essay-102').waitFor();
  await until(() => filter.inputValue(), '');
  const all = await rows();
  await page.goBack();
  await until(() => filter.inputValue(), 'context');
  await until(() => page.getByText('location/essay/essay-102').count(), 0);
  const { total } = await served.control('GET rows');
  const { next } = await served.control('GET rows', { limit: total - 1 });
  await go(`rows?search=context&after=${next}`);
  await page.getByText('This page is past the end of the list').waitFor();
  expect(await page.getByText('No row was written yet.').count()).toBe(0);
  await page.getByRole('button', { name: 'Previous' }).click();
  await until(() => page.getByText('context/essay/biology-101').count(), 1);
  await go('rows');
  await until(rows, all);
  await go('gradebook?location=gone');
  await until(() => page.getByLabel('Placement').inputValue(), 'gone');
  await page.getByText('This placement takes no grades.').waitFor();
  await go('gradebook?after=25&attempts=25');
  await filter.fill('Amina');
  await until(() => new URL(page.url()).search, '?search=Amina');
});
