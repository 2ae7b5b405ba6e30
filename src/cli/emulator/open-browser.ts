import type { CommandLine, Context } from '../runtime.ts';
import { note } from '../ui.ts';

/** What shows an address in the user's browser, by platform; elsewhere as on Linux. */
const OPENERS: Readonly<Record<string, CommandLine>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** How long the opener is watched; where the browser itself is started, it goes on by itself. */
const PATIENCE_MS = 5000;

/** Shows a page in the user's browser; where there is none, says which page to open. */
export async function openBrowser(runtime: Context, url: string): Promise<void> {
  const problem = await openerProblem(runtime, url);
  if (problem !== undefined) await note(runtime, `${problem}; open this page yourself: ${url}`);
}

/** Hands an address or a file to the user's browser; false where it could not be shown. */
export async function startOpener(runtime: Context, target: string): Promise<boolean> {
  return (await openerProblem(runtime, target)) === undefined;
}

/** Why the browser could not be started; undefined where nothing went wrong. */
async function openerProblem(runtime: Context, target: string): Promise<string | undefined> {
  const { platform } = await runtime.machine();
  const opener = OPENERS[platform] ?? ['xdg-open'];
  const processes = await runtime.processes();
  const how = await processes.launch([...opener, target], PATIENCE_MS);
  if (how === 'running' || how === 0) return undefined;
  return `${opener[0]} ${how === 'not started' ? 'could not be started' : `ended with exit code ${how}`}`;
}
