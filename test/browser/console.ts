import axe from 'axe-core';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { LaunchRequest, ServeOptions } from '../../src/emulator/index.ts';
import { serveSeeded } from '../support/emulator.ts';
import { launchOf, type Launch } from '../emulator/subject.ts';
import { atEnd } from '../support/scope.ts';
import { sharedContext } from './support.ts';

export type Console = Awaited<ReturnType<typeof openConsole>>;

/**
 * An emulator in this process, and its console open in a browser. `invited` is an address with a fresh
 * code in it; `launch` one whose calls are made by this process; `problems` what the page wrote to the
 * browser's console, and what it threw: nothing, at the end of a test.
 */
export async function openConsole(path = '', options: ServeOptions = {}, context?: BrowserContext) {
  const served = await serveSeeded({ pid: process.pid, ...options });
  const { close } = served;
  atEnd(close);
  const at = (to = ''): string => `${served.url}/_emulator/console/${to}`;
  const invited = async (to = ''): Promise<string> => {
    const { code } = await served.control('POST console/code');
    return `${at(to)}#code=${code}`;
  };
  const own = context ?? (await sharedContext());
  const page = await own.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    // What the emulator refuses is shown in the page; the browser notes it as well.
    if (!message.text().startsWith('Failed to load resource')) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.goto(await invited(path));
  await heading(page).waitFor();
  const go = async (to: string): Promise<void> => {
    await page.goto(at(to));
    await heading(page).waitFor();
  };
  const launch = async (wish: LaunchRequest = {}): Promise<Launch> =>
    launchOf((await served.control('POST launch', wish)).claims as never);
  atEnd(() => expect(problems).toEqual([]));
  return { served, close, page, context: own, at, invited, go, launch, problems };
}

export function heading(page: Page): Locator {
  return page.getByRole('heading', { level: 1 });
}

/** Waits until a value is as wanted; fails with the last value. */
export async function until<Value>(
  look: () => Promise<Value> | Value,
  wanted: Value,
): Promise<void> {
  await expect.poll(look, { timeout: 60_000, interval: 20 }).toEqual(wanted);
}

/** Waits for a command behind a `>_`, by words of it. */
export async function commandShown(page: Page, words: string): Promise<void> {
  await page.locator('.command', { hasText: words }).first().waitFor({ state: 'attached' });
}

interface AxeFinding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe finds wrong with a page by WCAG 2.2 AA, or by some rules, each with the elements. */
export async function axeFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const only = rules === undefined ? WCAG : { type: 'rule', values: rules };
  const run = `axe.run(document, { runOnly: ${JSON.stringify(only)}, resultTypes: ['violations'] }).then(({ violations }) => violations)`;
  const found = (await page.evaluate(run)) as AxeFinding[];
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
