import { expect } from 'vitest';
import { serveEmulator } from '../../src/emulator/index.ts';
import { atEnd } from '../support/scope.ts';
import { heading, openConsole } from './console.ts';
import { browserTest } from './support.ts';

browserTest('an emulator that is gone is said, and after a restart how to get in', async () => {
  const { page, served, close } = await openConsole('traffic');
  const connection = page.getByRole('status', { name: 'Connection' });
  await connection.getByText('live').waitFor();
  await close();
  await connection.getByText('reconnecting').waitFor();
  const again = await serveEmulator({ pid: process.pid, port: Number(new URL(served.url).port) });
  atEnd(again.close);
  await heading(page).filter({ hasText: 'Open the console from a terminal' }).waitFor();
  await page.getByText('lectern emulator open traffic').waitFor();
});

browserTest('eight tabs hear of a request, and seven of the next', async () => {
  const { page, context, invited, launch, said } = await openConsole('traffic');
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
  expect(said).toEqual([]);
});
