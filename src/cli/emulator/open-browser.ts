import type { CommandLine, Context } from '../runtime.ts';
import { note } from '../ui.ts';

/** What shows an address in the user's browser, by platform; elsewhere as on Linux. */
const OPENERS: Readonly<Record<string, CommandLine>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Shows a page in the user's browser; where there is none, says which page to open. */
export async function openBrowser(runtime: Context, url: string): Promise<void> {
  const { platform } = await runtime.machine();
  const opener = OPENERS[platform] ?? ['xdg-open'];
  const processes = await runtime.processes();
  if (await processes.launch([...opener, url])) return;
  await note(runtime, `${opener[0]} could not be started; open this page yourself: ${url}`);
}
