/** The tool of docs/examples/hosted-tool, and the first tool of docs/tools.md, used as a person does. */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { browserTest, emulated, openCourse, type Course } from './support.ts';

const sample = Object.fromEntries(
  ['index.html', 'tool.js', 'tool.css'].map((name) => [
    name,
    readFileSync(`docs/examples/hosted-tool/${name}`, 'utf8'),
  ]),
);

async function opened(files: Readonly<Record<string, string>>): Promise<Course> {
  const emulator = await emulated();
  await emulator.upload(files);
  return openCourse(emulator);
}

browserTest('the sample saves, uploads, hands in, and reads again what it saved', async () => {
  const course = await opened(sample);
  const tool = course.page.frameLocator('iframe[title="Tool"]');
  const said = tool.getByRole('status');
  await said.getByText('Nothing saved yet.').waitFor();
  await tool.getByLabel('Your notes').fill('Cells divide');
  await tool
    .getByLabel('Attach a file')
    .setInputFiles({ name: 'cell.txt', mimeType: 'text/plain', buffer: Buffer.from('cell') });
  await tool.getByRole('button', { name: 'Save' }).click();
  await said.getByText('Saved, with cell.txt.').waitFor();
  await tool.getByRole('button', { name: 'Hand in' }).click();
  await said.getByText('Handed in: 2 words, 2 %.').waitFor();
  await course.page.reload();
  await said.getByText('This is what you saved.').waitFor();
  expect(await tool.getByLabel('Your notes').inputValue()).toBe('Cells divide');
  const { files, attempts } = await course.emulator.control('state');
  expect(files).toMatchObject([{ key: 'cell.txt', size: 4 }]);
  expect(attempts).toMatchObject([{ status: 'success', score: 0.02 }]);
});

for (const keeps of [true, false]) {
  browserTest(`the sample ${keeps ? 'stays' : 'goes'} when its session ends`, async () => {
    const course = await opened(sample);
    const tool = course.page.frameLocator('iframe[title="Tool"]');
    await tool.getByText('Nothing saved yet.').waitFor();
    await tool.getByLabel('Keep my text').setChecked(keeps);
    await course.emulator.control('clock', { advance_seconds: 12 * 60 * 60 });
    await tool.getByRole('button', { name: 'Save' }).click();
    await course.says(keeps ? 'handled service-session-expired' : 'ran without preventDefault()');
    const words = keeps ? 'Keep my text' : 'Your session has ended';
    await tool.getByText(words).first().waitFor();
  });
}

browserTest('the tool of docs/tools.md hands in a grade', async () => {
  const [, page = ''] = /^```html\n(.*?)^```$/ms.exec(readFileSync('docs/tools.md', 'utf8')) ?? [];
  const course = await opened({ 'index.html': page });
  const tool = course.page.frameLocator('iframe[title="Tool"]');
  await tool.getByRole('button', { name: 'Hand in' }).click();
  await tool.getByRole('status').getByText('success').waitFor();
});
