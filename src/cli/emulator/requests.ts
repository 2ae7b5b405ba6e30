import type { Answers, Exchange } from '../../emulator/index.ts';
import { InterruptedError } from '../../errors.ts';
import {
  launchLine,
  requestLine,
  requestText,
  type TrafficLine,
  trafficTable,
} from '../output/emulator.ts';
import { countText, numberText } from '../output/units.ts';
import { type Context, withOptions } from '../runtime.ts';
import { noteMore, shownLimit, note } from '../output/notes.ts';
import { printJson, printJsonLines, printRows, printTable, printText } from '../output/print.ts';
import { control, controlLines } from './control.ts';
import type { EmulatorRequestsOptions } from './flags.ts';

/** What is listed without `--limit`. */
const LATEST = 10_000;

export async function runRequests(given: Context<EmulatorRequestsOptions>): Promise<void> {
  const context = withTool(given);
  const { options } = context;
  if (options.follow) {
    await follow(context);
    return;
  }
  if (options.show !== undefined || options.replay !== undefined) {
    await one(context);
    return;
  }
  if (options.har !== undefined) {
    const { writeHar } = await import('./har.ts');
    await writeHar(context, options.har);
    return;
  }
  const { requests, found, kept, missed, missed_why: why } = await newest(context);
  // A filter is about requests.
  const hasLaunches = !options.json && given.options.filter === undefined;
  const launches = hasLaunches ? await launchLines(context) : [];
  if (options.json) {
    await printJsonLines(
      context,
      requests.map((each) => JSON.stringify(each)),
    );
  } else if (requests.length + launches.length > 0) {
    const lines = [...requests.map(requestLine), ...launches].sort((a, b) => a.at - b.at);
    await printTable(context, trafficTable(lines.slice(-shownLimit(context))));
  } else await note(context, kept > 0 ? 'no request matches the filter' : 'no requests yet');
  await noteMore(context, found + launches.length);
  if (missed > 0) await note(context, `${countText(missed, 'request')} could not be kept: ${why}`);
  if (found <= LATEST || shownLimit(context) !== Infinity) return;
  await note(
    context,
    `these are the latest ${numberText(LATEST)} of ${numberText(found)} requests`,
  );
}

/** `--tool` is a word of the filter. */
function withTool(context: Context<EmulatorRequestsOptions>): Context<EmulatorRequestsOptions> {
  const { tool, filter = '' } = context.options;
  if (!tool) return context;
  return withOptions(context, { ...context.options, filter: `${filter} by:tool` });
}

async function launchLines(context: Context<EmulatorRequestsOptions>): Promise<TrafficLine[]> {
  const { items } = await control(context, 'GET tokens', { limit: 500 });
  return items.map(launchLine);
}

/** The newest requests, from as many pages as they take. */
async function newest(context: Context<EmulatorRequestsOptions>): Promise<Answers['GET requests']> {
  const { filter, after } = context.options;
  const limit = shownLimit(context);
  if (limit === Infinity) return await control(context, 'GET requests', { filter, after });
  const first = await control(context, 'GET requests', { filter, after, limit });
  const pages = [first.requests];
  let count = first.requests.length;
  for (let { next } = first; next !== null && count < limit;) {
    const rest = { filter, after, limit: limit - count, before: next };
    const page = await control(context, 'GET requests', rest);
    pages.unshift(page.requests);
    count += page.requests.length;
    ({ next } = page);
  }
  return { ...first, requests: pages.flat() };
}

/** A line for each new request, for other programs to read. */
async function follow(context: Context<EmulatorRequestsOptions>): Promise<void> {
  const { stdout, options } = context;
  const { filter, after } = options;
  for await (const line of controlLines(context, 'GET requests/follow', { filter, after })) {
    if (context.options.json) await printJsonLines(context, [line]);
    else await printRows(context, trafficTable([requestLine(JSON.parse(line) as Exchange)]));
    if (stdout.broken) return;
  }
  if (context.interrupt.aborted) throw new InterruptedError('interrupted');
  await note(context, 'the emulator has stopped');
}

/** Shows one request, or sends it again. */
async function one(context: Context<EmulatorRequestsOptions>): Promise<void> {
  const { show, replay, json } = context.options;
  if (replay !== undefined) {
    const sent = await control(context, 'POST requests/replay', { number: replay });
    if (json) await printJson(context, sent);
    await note(context, `sent again as request ${sent.number}: ${sent.status ?? 'closed'}`);
    return;
  }
  const request = await control(context, 'GET request', { number: show as number });
  if (json) await printJson(context, request);
  else await printText(context, requestText(request));
  if (request.captured === null) {
    await note(context, 'headers and bodies of this request were dropped for later requests');
  }
}
