import { expect } from 'vitest';
import { heading, openConsole, until } from './console.ts';
import { browserTest, uploadTool } from './support.ts';

browserTest('Launch does not start by accident; Enter picks the highlighted person', async () => {
  const { page, served } = await openConsole('launch');
  const members = async (): Promise<string[]> =>
    (await served.control('GET state')).tokens.map(({ member }) => member);
  const person = page.getByRole('combobox', { name: 'Person' });
  const options = page.getByRole('listbox', { name: 'People' }).getByRole('option');
  await person.fill('member-11');
  await until(() => options.count(), 5);
  expect(await person.getAttribute('aria-expanded')).toBe('true');
  await person.press('Enter');
  await page.getByRole('alert').getByText('choose one from the list').waitFor();
  expect(await members()).toEqual([]);
  await person.press('ArrowDown');
  await person.press('ArrowDown');
  const active = await person.getAttribute('aria-activedescendant');
  await page.locator(`#${active}[aria-selected="true"]`).getByText('Bo Berg').waitFor();
  await person.press('Enter');
  await until(() => person.inputValue(), 'Bo Berg');
  expect(await members()).toEqual([]);
  await person.press('Enter');
  await until(members, ['member-112']);
  await person.fill('nobody at all');
  await page.getByText('no person of this course matches').waitFor();
  await person.fill('chidi');
  await until(() => options.count(), 1);
  await person.press('Escape');
  await until(() => options.count(), 0);
});

browserTest('a launch has an address, and Tokens opens it again', async () => {
  const tool = 'q9x7w3v1';
  const locations = [{ id: 'l', tool }];
  const seed = { tools: [{ id: tool }], courses: [{ id: 'c', students: 1, locations }] };
  const { page, context, served, go } = await openConsole('launch', { seed });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: served.url });
  const copied = (): Promise<string> => page.evaluate<string>('navigator.clipboard.readText()');
  await page.getByRole('button', { name: 'Launch', exact: true }).click();
  await page.getByText(': this launch can ').waitFor();
  const address = page.url();
  expect(address).toMatch(/\/launch\/\w+$/);
  const names = await page
    .locator('main section')
    .evaluateAll((all) => all.map((each) => each.ariaLabel));
  expect(names.slice(1)).toEqual(['Permits', 'Findings', 'Claims']);
  const claims = page.getByRole('region', { name: 'Claims' });
  expect(await claims.getByText('storage.member').first().isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Copy claims as JSON' }).click();
  await page.getByText('claims copied').waitFor();
  expect(JSON.parse(await copied())).toMatchObject({
    api: { token: expect.stringMatching(/^lt_/) },
  });
  await claims.getByText('Claims').click();
  const copy = page.getByRole('button', { name: 'Copy storage.member', exact: true });
  // Over plain http from another machine there is no such object.
  await page.evaluate('void Object.defineProperty(navigator, "clipboard", { configurable: true })');
  await copy.click();
  const toast = page.getByText('storage.member copied');
  await toast.waitFor();
  await page.evaluate(`document.querySelector('.toast > *').id = 'first'`);
  await page.evaluate('delete navigator.clipboard');
  // The whole URL, whose query is hidden.
  expect(await copied()).toContain(`tool=${tool}`);
  expect(await claims.innerHTML()).not.toContain(`tool=${tool}`);
  await until(() => page.evaluate('document.activeElement.ariaLabel'), 'Copy storage.member');
  await copy.click();
  // The same words are announced again.
  await until(() => page.locator('#first').count(), 0);
  await toast.waitFor();
  await page.reload();
  await page.getByText(': this launch can ').waitFor();
  await go('tokens');
  await page.getByRole('link', { name: 'Open' }).click();
  await until(() => page.url(), address);
  await page.getByText(': this launch can ').waitFor();
  await served.control('POST reset');
  await page.getByRole('alert').getByText('no launch').waitFor();
  await until(() => page.getByRole('button', { name: 'Open the tool' }).count(), 0);
});

browserTest('Open the tool is disabled, with the reason, until a tool can be opened', async () => {
  const { page, context, served } = await openConsole('launch');
  await page.getByRole('button', { name: 'Launch', exact: true }).click();
  await page.getByText('Essay Workshop has no callback').waitFor();
  await page.getByLabel('Placement').selectOption('Cell drawing');
  await page.getByRole('button', { name: 'Launch', exact: true }).click();
  const open = page.getByRole('button', { name: 'Open the tool' });
  await page.getByText('Sketchpad has no code yet').waitFor();
  expect(await open.getAttribute('aria-disabled')).toBe('true');
  const at = { url: served.url, token: served.controlToken };
  await uploadTool(at, 'tool=sketch', { 'index.html': '<!doctype html><title>t</title>' });
  await page.getByRole('button', { name: 'Launch', exact: true }).click();
  await until(() => open.getAttribute('aria-disabled'), null);
  const opened = context.waitForEvent('page');
  await open.click();
  await (await opened).waitForURL(/\/_emulator\/course\//);
});

browserTest('a link opened in a new tab is signed in once by the tab it came from', async () => {
  const { page, context, at } = await openConsole();
  const rows = page
    .getByRole('navigation', { name: 'Console' })
    .getByRole('link', { name: 'Rows' });
  for (const how of [{ modifiers: ['Control'] }, { button: 'middle' }] as const) {
    const opening = context.waitForEvent('page');
    await rows.click({ ...how, modifiers: 'modifiers' in how ? [...how.modifiers] : [] });
    const tab = await opening;
    await heading(tab).filter({ hasText: 'Rows' }).waitFor();
    expect(
      await tab.evaluate('JSON.stringify([localStorage, document.cookie, location.hash])'),
    ).toBe('[{},"",""]');
    await tab.close();
  }
  // An address that no link of an open tab led to is not let in.
  const typed = await context.newPage();
  await typed.goto(at('rows'));
  await heading(typed).filter({ hasText: 'Open the console from a terminal' }).waitFor();
});

browserTest('lists without data offer a button that creates some', async () => {
  const { page, go, served } = await openConsole('gradebook');
  const launch = page.getByRole('button', { name: 'Launch a student' });
  const alert = page.getByRole('alert');
  await served.control('POST fault', { path: 'scores', status: 503, body: 'busy' });
  await launch.click();
  await alert.getByText('the POST failed with status 503: busy').waitFor();
  await go('gradebook?location=essay-guide');
  await launch.click();
  await alert.getByText('this placement takes no grades').waitFor();
  await served.control('POST reset');
  for (const [path, table] of [
    ['tokens', 'Tokens'],
    ['traffic', 'Traffic'],
    ['gradebook', 'Gradebook'],
    ['gradebook?location=sketch-1', 'Gradebook'],
  ] as const) {
    await go(path);
    await launch.click();
    await page.getByRole('table', { name: table, exact: true }).getByText('Amina Abara').waitFor();
    await until(() => launch.count(), 0);
  }
});

browserTest('the navigation has four groups, and becomes a menu at 320 px', async () => {
  const { page } = await openConsole();
  const navigation = page.getByRole('navigation', { name: 'Console' });
  for (const group of ['Run', 'Data', 'Observe', 'Disturb']) {
    await navigation.getByRole('list', { name: group }).waitFor();
  }
  await page.setViewportSize({ width: 320, height: 640 });
  const faults = navigation.getByRole('link', { name: 'Faults' });
  await faults.waitFor({ state: 'hidden' });
  await navigation.getByRole('button', { name: 'Menu' }).click();
  await faults.click();
  await heading(page).filter({ hasText: 'Faults' }).waitFor();
  await faults.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Slow' }).click();
  const menu = navigation.getByRole('button', { name: 'Menu' });
  await menu.click();
  await navigation.getByRole('link', { name: 'Faults 1 fault' }).focus();
  await page.keyboard.press('Escape');
  await faults.waitFor({ state: 'hidden' });
  await navigation.locator('button.menu-button:focus').waitFor();
  await menu.click();
  await navigation.getByRole('link', { name: 'Faults 1 fault' }).waitFor();
});
