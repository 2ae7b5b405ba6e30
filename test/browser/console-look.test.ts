import { expect } from 'vitest';
import { EXAMPLE_SEED } from '../../src/emulator/index.ts';
import { axeFindings, heading, openConsole, type Console } from './console.ts';
import { browserTest } from './support.ts';

/** The least that a seed may have. */
const EMPTY = { tools: [{ id: 'essay' }], courses: [{ id: 'biology' }] };
const NAMES = [
  'Overview',
  'Launch',
  'Rows',
  'Files',
  'Gradebook',
  'Traffic',
  'Clock',
  'Faults',
  'Tokens',
  'Tools',
];

/** Clicks through all pages; what is looked for on each is told with its name. */
async function onEach(
  { page }: Console,
  look: (name: string) => Promise<readonly unknown[]>,
): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const name of NAMES) {
    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name }).click();
    await heading(page).filter({ hasText: name }).waitFor();
    expect(await page.title()).toBe(`${name} · lectern emulator`);
    await page.locator('table, .figures, .panel, .empty').first().waitFor();
    found.push(...(await look(name)).map((each) => [name, each]));
  }
  return found;
}

async function looksWell(shown: Console): Promise<void> {
  const { page, said } = shown;
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  expect(await onEach(shown, () => axeFindings(page))).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await onEach(shown, () => axeFindings(page, ['color-contrast']))).toEqual([]);
  await page.setViewportSize({ width: 320, height: 640 });
  const wide = await onEach(shown, () =>
    page.evaluate<string[]>(`[...document.querySelectorAll('body *')]
      .filter((each) => each.closest('.scroll') === null || each.matches('.scroll'))
      .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
      .map(({ outerHTML }) => outerHTML.slice(0, 200))`),
  );
  expect(wide).toEqual([]);
  expect(said).toEqual([]);
}

browserTest('an empty emulator: axe finds nothing, and 320 px are enough', async () => {
  await looksWell(await openConsole('', { seed: EMPTY }));
});

browserTest('a full one: axe finds nothing, and 320 px are enough', async () => {
  const shown = await openConsole('', { seed: EXAMPLE_SEED });
  const staff = await shown.launch({ role: 'instructor', location: 'moon-diary' });
  await staff.put(staff.row('member'), { a: 1 });
  await staff.upload('member', 'a-rather-long-name-of-a-file-that-must-wrap-somewhere.txt', 'x');
  await staff.grade({ score: 0.5 }, staff.submit);
  await shown.served.control('POST lms', { refuse: { status: 422, body: '{"a":1}' } });
  await staff.grade({ score: 0.5 }, staff.submit);
  await shown.served.control('POST fault', { path: '/x', status: 503 });
  await shown.served.control('POST clock', { advance_seconds: 3600 });
  await looksWell(shown);
});
