import type { CommandLine, Context } from '../runtime.ts';
import { note } from '../ui.ts';

/**
 * The programs that open an address in the user's browser, by platform; the last resort is that of
 * Linux.
 */
const OPENERS: Readonly<Record<string, CommandLine>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** How long the opener is watched; if it is the browser itself, it keeps running. */
const PATIENCE_MS = 5000;

/** Opens a page in the user's browser; if that fails, prints the address. */
export async function openBrowser(runtime: Context, url: string): Promise<void> {
  const problem = await openerProblem(runtime, url);
  if (problem !== undefined) await note(runtime, `${problem}; open this page yourself: ${url}`);
}

/** Opens an address or a file in the user's browser; false if that fails. */
export async function startOpener(runtime: Context, target: string): Promise<boolean> {
  return (await openerProblem(runtime, target)) === undefined;
}

/** Why the browser could not be started; undefined on success. */
async function openerProblem(runtime: Context, target: string): Promise<string | undefined> {
  const { platform } = await runtime.machine();
  const opener = OPENERS[platform] ?? ['xdg-open'];
  const processes = await runtime.processes();
  const how = await processes.start([...opener, target], PATIENCE_MS);
  if (how === 'running' || how === 0) return undefined;
  return `${opener[0]} ${how === 'not started' ? 'could not be started' : `ended with exit code ${how}`}`;
}
