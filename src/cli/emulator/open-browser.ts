import type { CommandLine, Context } from '../runtime.ts';
import { note } from '../ui.ts';

/** What shows an address in the user's browser, by platform; elsewhere as on Linux. */
const OPENERS: Readonly<Record<string, CommandLine>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Shows a page in the user's browser; where there is none, says which page to open. */
export async function openBrowser(runtime: Context, url: string): Promise<void> {
  if (await startOpener(runtime, url)) return;
  const opener = await openerOf(runtime);
  await note(runtime, `${opener[0]} could not be started; open this page yourself: ${url}`);
}

/** Hands an address or a file to the user's browser; false where nothing could be started. */
export async function startOpener(runtime: Context, target: string): Promise<boolean> {
  const processes = await runtime.processes();
  return processes.launch([...(await openerOf(runtime)), target]);
}

async function openerOf(runtime: Context): Promise<CommandLine> {
  const { platform } = await runtime.machine();
  return OPENERS[platform] ?? ['xdg-open'];
}
