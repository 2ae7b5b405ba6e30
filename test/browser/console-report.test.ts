import { send } from '../emulator/wire.ts';
import { heading, openConsole, until } from './console.ts';
import { browserTest } from './support.ts';

browserTest('Report links a finding to its request, and lists what the tool met', async () => {
  const { page, launch, served } = await openConsole('report');
  await page.getByText('No request was checked yet.').waitFor();
  const student = await launch({ role: 'student' });
  await student.get(student.row('member'));
  await page.getByText('nothing was found wrong in 1 request').waitFor();
  await send('GET', `${served.url}/apps/me`, { token: student.token });
  const findings = page.getByRole('region', { name: 'Findings' });
  await findings.getByText('GET /apps/me is a removed endpoint').waitFor();
  await page
    .getByRole('region', { name: 'Met', exact: true })
    .getByText("a student's launch")
    .waitFor();
  const never = page.getByRole('region', { name: 'Never met' });
  await never.getByText('a provision request', { exact: true }).click();
  await never.getByText('lectern emulator provision-request --from biology-101').first().waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('zzz');
  await page.getByText('No finding matches.').waitFor();
  await page.getByRole('searchbox', { name: 'Filter' }).fill('removed');
  await findings.getByRole('link', { name: '2', exact: true }).click();
  await heading(page).filter({ hasText: 'Traffic' }).waitFor();
  await page.getByRole('region', { name: 'Request 2' }).getByText('/apps/me').waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('p');
  await until(() => page.title(), 'Report · lectern emulator');
});
