import { join } from 'node:path';
import { CONSOLE_PAGES } from '../../console-pages.ts';
import { StateError, UsageError } from '../../errors.ts';
import { nearest } from '../../contract/nearest.ts';
import type { Called, Context, CommandLine } from '../runtime.ts';
import { wantsJson } from '../output/print.ts';
import type { Result } from '../output/result.ts';
import { control } from './control.ts';
import type { OPEN_FLAGS } from './flags.ts';

const PAGES = CONSOLE_PAGES.map(({ id }) => id as string);

export const PRINT_IT = 'print the address with: lectern emulator open --print';
export const OPENED = 'the console opens in your browser; the address works once, for 60 seconds';

/** Opens the console, or prints its address, with a code that lets one page in. */
export async function runOpen(
  context: Called<typeof OPEN_FLAGS>,
  page = 'overview',
): Promise<Result> {
  const name = page.toLowerCase();
  if (!PAGES.includes(name)) {
    throw new UsageError(`the console has no page ${JSON.stringify(page)}`, nearest(name, PAGES));
  }
  const { code, url, seconds } = await control(context, 'POST console/code');
  const path = CONSOLE_PAGES.find(({ id }) => id === name)?.path ?? '';
  const address = `${url}${path}#code=${code}`;
  const { print } = context.options;
  if (print || wantsJson(context)) return { json: { url: address, seconds }, show: address };
  const problem = await openByFile(context, address);
  if (problem === undefined) return { notes: [OPENED] };
  throw new StateError(problem, PRINT_IT);
}

/**
 * Opens the address through a redirecting page that only the user can read: every user of the
 * machine could see the code in the arguments of a browser. Returns why that failed, if it did.
 */
export async function openByFile(context: Context, address: string): Promise<string | undefined> {
  const disk = await context.disk();
  const folder = join((await context.home()).data, 'emulators');
  const file = join(folder, 'open-console.html');
  await disk.writeFile(file, forwardingPage(address), { secret: true });
  const problem = await openerProblem(context, file);
  if (problem !== undefined) await disk.remove(file);
  return problem;
}

function forwardingPage(address: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url=${address}">
<title>lectern emulator</title>
<p><a href="${address}">Open the console</a></p>
</html>
`;
}

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

/** Opens a page in the user's browser; returns what to do if that fails. */
export async function openBrowser(runtime: Context, url: string): Promise<string | undefined> {
  const problem = await openerProblem(runtime, url);
  return problem && `${problem}; open this page yourself: ${url}`;
}

/** Opens an address or a file in the user's browser; returns why that failed, if it did. */
async function openerProblem(runtime: Context, target: string): Promise<string | undefined> {
  const { platform } = await runtime.machine();
  const opener = OPENERS[platform] ?? ['xdg-open'];
  const processes = await runtime.processes();
  const how = await processes.start([...opener, target], PATIENCE_MS);
  if (how === 'running' || how === 0) return undefined;
  return `${opener[0]} ${how === 'not started' ? 'could not be started' : `ended with exit code ${how}`}`;
}
