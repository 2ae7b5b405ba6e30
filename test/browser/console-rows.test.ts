import { expect } from 'vitest';
import { openConsole, until } from './console.ts';
import { browserTest } from './support.ts';

browserTest('Rows loses no unsaved text by a version, an undo or the stored row', async () => {
  const { page, launch, served } = await openConsole();
  const student = await launch({ role: 'student' });
  for (const step of [1, 2]) await student.put(student.row('member'), { step });
  await page.goto(page.url().replace(/\/$/, '/rows/member/essay/member-111'));
  const text = page.getByRole('textbox', { name: 'Row as JSON' });
  await until(() => text.inputValue(), '{"step":2}');
  const mine = '{\n  "mine": true\n}';
  await text.fill(mine);
  await page.getByRole('button', { name: 'Show version 1' }).click();
  const version = page.getByRole('region', { name: 'Version 1', exact: true });
  const diff = version.getByRole('region', { name: 'From version 1 to the editor' });
  await until(() => diff.innerText(), '@@ -1,3 +1,3 @@\n {\n-  "step": 1\n+  "mine": true\n }\n');
  expect(await text.inputValue()).toBe(mine);
  await version.getByRole('button', { name: 'Close' }).click();
  await until(() => version.count(), 0);
  expect(await page.evaluate('document.activeElement.innerText')).toBe('Show version 1');
  await page.keyboard.press('Enter');
  const question = page.getByRole('alertdialog');
  const asks = async (button: string, then: string): Promise<void> => {
    await page.getByRole('button', { name: button }).click();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await until(() => page.evaluate('document.activeElement.innerText'), button);
    expect([button, await text.inputValue()]).toEqual([button, mine]);
    await page.getByRole('button', { name: button }).click();
    await question.getByRole('button', { name: button }).click();
    await until(() => text.inputValue(), then);
    await text.fill(mine);
  };
  await asks('Restore into the editor', '{"step":1}');
  await asks('Undo edits', '{"step":2}');
  await student.put(student.row('member'), { step: 3 });
  const conflict = page.getByRole('region', { name: 'From the stored row to yours' });
  await conflict.getByText('-  "step": 3').waitFor();
  await asks('Take the stored row', '{"step":3}');
  served.emulator.state.world.members.delete('id = ?', ['member-111']);
  await served.control('POST clock', { advance_seconds: 1 });
  await page.getByRole('alert').getByText('no row').waitFor();
  await page.getByRole('region', { name: 'Unsaved text' }).getByText('"mine": true').waitFor();
});

browserTest('Rows saves with Ctrl+S, numbers lines, and shows an error at its line', async () => {
  const { page, served } = await openConsole('rows/member/essay/member-111');
  const text = page.getByRole('textbox', { name: 'Row as JSON' });
  const lines = Array.from({ length: 300 }, (_, line) => `"${line}": 1`).join(',\n');
  await text.fill(`{${lines},\n}`);
  await text.press('Control+s');
  await page.getByRole('alert').getByText('line 300, column').waitFor();
  // The message is shown before the caret is put at its line.
  const place = (): Promise<unknown> =>
    text.evaluate((area) => [
      area.value.slice(0, area.selectionStart).split('\n').length,
      area.scrollTop > 0,
    ]);
  await until(place, [300, true]);
  await page.locator('.gutter').getByText('300', { exact: true }).waitFor();
  expect(await page.locator('.gutter i').count()).toBeLessThan(200);
  await text.fill('{"a":1}');
  await text.press('Control+s');
  await page.getByRole('status', { name: 'Done' }).getByText('saved').waitFor();
  const { rows } = await served.control('GET state');
  expect(rows).toEqual([{ row: 'member/essay/member-111', bytes: 7 }]);
});

browserTest('tables sort by their columns, and show a long comment on two lines', async () => {
  const { page, launch, go } = await openConsole();
  const long = `${'The drawings are precise, the dates are missing. '.repeat(12)}END`;
  for (const [member, score, comment] of [
    ['member-111', 0.5, 'fine'],
    ['member-112', 1, long],
    ['member-113', 0.25, 'fine'],
  ] as const) {
    const student = await launch({ member });
    await student.grade({ score, comment });
  }
  await go('gradebook');
  const table = page.getByRole('table', { name: 'Gradebook' });
  const people = (): Promise<string[]> => table.locator('tbody tr td:first-child').allInnerTexts();
  const points = table.getByRole('columnheader', { name: 'Points' });
  await points.getByRole('button').click();
  await until(people, ['Chidi Costa', 'Amina Abara', 'Bo Berg']);
  expect(await points.getAttribute('aria-sort')).toBe('ascending');
  await points.getByRole('button').click();
  await until(people, ['Bo Berg', 'Amina Abara', 'Chidi Costa']);
  await page.reload();
  await until(people, ['Bo Berg', 'Amina Abara', 'Chidi Costa']);
  const comment = table.getByRole('row').filter({ hasText: 'Bo Berg' });
  const height = async (): Promise<number> => (await comment.boundingBox())?.height ?? 0;
  expect(await height()).toBeLessThan(60);
  await comment.getByRole('button', { name: 'More' }).click();
  await until(async () => (await height()) > 60, true);
  // An ID is in one line, however narrow its column.
  const heights = await table
    .locator('td code')
    .evaluateAll((all) => all.map((each) => each.getClientRects().length));
  expect([...new Set(heights)]).toEqual([1]);
});
