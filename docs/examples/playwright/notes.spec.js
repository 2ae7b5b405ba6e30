import { expect, test } from 'lectern/playwright';

// An error in the emulator's report fails the test.
test.use({ report: 'error' });

test('a student saves notes', async ({ lectern, page }) => {
  await lectern.run('emulator', 'tool', 'upload', 'hosted-tool', '--tool', 'sketch');
  const launch = ['emulator', 'launch', '--location', 'sketch-1', '--print-url'];
  const { stdout } = await lectern.run(...launch);
  await page.goto(stdout.trim());
  const tool = page.frameLocator('iframe[title="Tool"]');
  await tool.getByLabel('Your notes').fill('Cells divide');
  await tool.getByRole('button', { name: 'Save' }).click();
  await expect(tool.getByRole('status')).toHaveText('Saved.');
});
