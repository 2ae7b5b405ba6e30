import type { Frame, Page } from 'playwright-core';
import { heading, openConsole, until } from './console.ts';
import { browserTest, uploadTool } from './support.ts';

/** A hosted tool with one button, which submits a grade. */
const TOOL = `<!doctype html><html lang="en"><title>Tool</title><main>
<button id="submit">Submit</button><p role="status"></p>
<script type="module">
  const { claims } = await window.service.launch();
  const output = document.querySelector('[role=status]');
  document.querySelector('button').addEventListener('click', async () => {
    const response = await fetch(claims.grade.submit, {
      method: 'POST',
      headers: { authorization: 'Bearer ' + claims.api.token, 'content-type': 'application/json' },
      body: '{"score":0.75}',
    });
    output.textContent = 'submitted: ' + (await response.json()).status;
  });
  output.textContent = 'ready';
</script></main></html>`;

/** More presses than any page has stops. */
const STOPS = 60;

/** Presses Tab until the element with this name has the focus. */
async function tabTo(page: Page, name: string, where: Page | Frame = page): Promise<void> {
  for (let press = 0; press < STOPS; press++) {
    await page.keyboard.press('Tab');
    const focused = await where.evaluate<string>(`(() => {
      const { activeElement: each } = document;
      return each.ariaLabel ?? each.labels?.[0]?.querySelector('span')?.innerText ?? each.innerText ?? '';
    })()`);
    if (focused.trim() === name) return;
  }
  throw new Error(`no Tab leads to ${name}`);
}

browserTest('the console works by keyboard alone, from the launch to the grade', async () => {
  const { page, context, served } = await openConsole();
  const at = { url: served.url, token: served.controlToken };
  await uploadTool(at, 'tool=sketch', { 'index.html': TOOL });
  await tabTo(page, 'Skip to the content');
  await page.keyboard.press('Enter');
  const isRead = (): Promise<boolean> =>
    heading(page).evaluate((each) => each === each.ownerDocument.activeElement);
  await until(isRead, true);
  await page.keyboard.press('g');
  await page.keyboard.press('l');
  await heading(page).filter({ hasText: 'Launch' }).waitFor();
  const placement = page.getByLabel('Placement');
  await placement.locator('option', { hasText: 'Cell drawing' }).waitFor({ state: 'attached' });
  await tabTo(page, 'Placement');
  await page.keyboard.type('Cell');
  await until(() => placement.inputValue(), 'sketch-1');
  await tabTo(page, 'Launch');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Claims' }).waitFor();
  await tabTo(page, 'Open the tool');
  const opening = context.waitForEvent('page');
  await page.keyboard.press('Enter');
  const course = await opening;
  const tool = course.frameLocator('iframe');
  await tool.getByText('ready').waitFor();
  const frame = course.frames().find((each) => each !== course.mainFrame()) as Frame;
  await course.bringToFront();
  await tabTo(course, 'Submit', frame);
  await course.keyboard.press('Enter');
  await tool.getByText('submitted: success').waitFor();
  await page.bringToFront();
  await page.keyboard.press('g');
  await page.keyboard.press('b');
  await heading(page).filter({ hasText: 'Gradebook' }).waitFor();
  const cells = page.getByRole('table', { name: 'Gradebook' });
  await cells.getByText('Amina Abara').waitFor();
  // The focus is on the heading, from where the page is read on.
  await until(isRead, true);
});
