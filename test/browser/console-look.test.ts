import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { CONSOLE_PAGES, type ConsolePage } from '../../src/console-pages.ts';
import { EXAMPLE_SEED } from '../../src/emulator/index.ts';
import { axeFindings, heading, openConsole, until, type Console } from './console.ts';
import { browserTest } from './support.ts';

/** The least that a seed may have. */
const EMPTY = { tools: [{ id: 'essay' }], courses: [{ id: 'biology' }] };
/** An element that is there once a page has loaded; of the other pages a row or an empty list. */
const READY: Readonly<Partial<Record<ConsolePage['id'], string>>> = {
  overview: '.figures',
  launch: 'option',
  tools: 'section',
  report: '.figures',
};
const WIDE = { width: 1280, height: 800 };
const TABLET = { width: 768, height: 1024 };
const NARROW = { width: 320, height: 640 };

/** What is wrong with a page as it is now: by axe in light and dark, and in little room. */
async function look(page: Page): Promise<string[]> {
  const light = await axeFindings(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await axeFindings(page, ['color-contrast']);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(NARROW);
  const narrow = [...(await tooWide(page)), ...(await tooSmall(page)), ...(await cutTables(page))];
  narrow.push(...(await squeezed(page)));
  await page.setViewportSize(TABLET);
  narrow.push(...(await cutTables(page)));
  await page.setViewportSize({ ...NARROW, width: 640 });
  await page.evaluate("document.documentElement.style.fontSize = '200%'");
  const enlarged = await tooWide(page);
  await page.evaluate("document.documentElement.style.fontSize = ''");
  await page.setViewportSize(WIDE);
  return [...light, ...dark, ...narrow, ...enlarged];
}

/** Elements wider than the window or their parent; a table may be, in its own scrolled region. */
function tooWide(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll('body *')]
    .filter((each) => each.closest('.scroll') === null || each.matches('.scroll'))
    .filter((each) => {
      const isCut = getComputedStyle(each).overflowX === 'visible' && each.clientWidth > 0;
      const isOut = isCut && each.scrollWidth > each.clientWidth + 1;
      return isOut || each.getBoundingClientRect().right > innerWidth + 1;
    })
    .map(({ outerHTML }) => innerWidth + ' px: ' + outerHTML.slice(0, 200))`);
}

/** Lists with a column that is seen only once they are scrolled to the side; the grid of Permits may be. */
function cutTables(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll('.scroll')]
    .filter((each) => each.scrollWidth > each.clientWidth + 1)
    .filter((each) => each.closest('section')?.ariaLabel !== 'Permits')
    .map(({ ariaLabel }) => 'cut: ' + ariaLabel)`);
}

/** Cells in which a word has a few letters on each line. */
function squeezed(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll('td')]
    .filter((each) => each.checkVisibility() && each.clientWidth < 50 && each.innerText.length > 6)
    .map(({ outerHTML }) => 'squeezed: ' + outerHTML.slice(0, 200))`);
}

/** What can be hit and is less than 24 px wide or high; links within a sentence may be. */
function tooSmall(page: Page): Promise<string[]> {
  return page.evaluate<
    string[]
  >(`[...document.querySelectorAll('a, button, input, select, summary')]
    .filter((each) => each.closest('p:not(.crumbs)') === null && each.checkVisibility())
    .filter((each) => {
      const { width, height } = (each.closest('label') ?? each).getBoundingClientRect();
      return Math.min(width, height) < 23.5;
    })
    .map(({ outerHTML }) => 'small: ' + outerHTML.slice(0, 200))`);
}

/** Clicks through all pages, and collects the findings of each with its name. */
async function lookAround(
  { page }: Console,
  further: Readonly<Record<string, () => Promise<void>>> = {},
): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.setViewportSize(WIDE);
  const found: unknown[] = [];
  for (const { id, title: name } of CONSOLE_PAGES) {
    const ready = READY[id] ?? 'tbody tr, .empty';
    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name }).click();
    await heading(page).filter({ hasText: name }).waitFor();
    await until(() => page.title(), `${name} · lectern emulator`);
    await page.locator(ready).first().waitFor({ state: 'attached' });
    found.push(...(await look(page)).map((each) => [name, each]));
    if (further[name] === undefined) continue;
    await further[name]();
    found.push(...(await look(page)).map((each) => [`one of ${name}`, each]));
  }
  expect(found).toEqual([]);
}

browserTest('an empty console passes axe, and fits into 320 px and 200 % text', async () => {
  const shown = await openConsole('', { seed: EMPTY });
  await lookAround(shown);
  // Nothing is placed: a launch would be refused.
  for (const path of ['', 'rows', 'tokens']) {
    await shown.go(path);
    await shown.page.getByText('lectern emulator start --memory --seed example').first().waitFor();
    expect(await shown.page.getByText('lectern emulator launch').count()).toBe(0);
  }
  await shown.go('rows');
  await shown.page.getByText('Open a row that is not listed').click();
  await shown.page.getByRole('button', { name: 'Open', exact: true }).click();
  await shown.page.getByRole('alert').getByText('no tool is placed in a course').waitFor();
});

browserTest('a console with data passes axe, and fits into 320 px and 200 % text', async () => {
  const shown = await openConsole('', { seed: EXAMPLE_SEED });
  const { page, launch, served } = shown;
  const staff = await launch({ role: 'instructor', location: 'moon-diary' });
  await staff.put(staff.row('member'), { a: 1 });
  await staff.upload('member', 'a-rather-long-name-of-a-file-that-must-wrap-somewhere.txt', 'x');
  await staff.grade({ score: 0.5, comment: 'precise drawings '.repeat(20) }, staff.submit);
  await served.control('POST lms', { refuse: { status: 422, body: '{"a":1}' } });
  await staff.grade({ score: 0.5, launch_id: 'x' }, staff.submit);
  await served.control('POST fault', { path: '/x', status: 503 });
  await served.control('POST fault', { path: '/x', close: 'before', lasts: true });
  const { launch_id: ended } = (await launch({ role: 'student' })).claims;
  await served.control('POST token/end', { launch_id: ended });
  await served.control('POST clock', { advance_seconds: 3600 });
  const row = `member/observations/${staff.claims.user.member}`;
  await lookAround(shown, {
    Launch: async () => {
      await page.getByRole('button', { name: 'Launch', exact: true }).click();
      await page.getByRole('region', { name: 'Permits' }).waitFor();
    },
    Rows: async () => {
      await page.getByRole('link', { name: row }).click();
      await page.getByRole('region', { name: 'History' }).waitFor();
    },
    Files: async () => {
      await page.getByRole('link', { name: row }).click();
      await page.getByRole('button', { name: /^Download/ }).waitFor();
    },
    Traffic: async () => {
      await page.getByRole('link', { name: /PUT/ }).first().click();
      await page.getByRole('heading', { name: 'Response body' }).waitFor();
    },
  });
});
