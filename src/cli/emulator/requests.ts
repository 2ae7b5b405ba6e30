import { LARGEST_PAGE } from '../../control-api/taken.ts';
import type { Answers, Exchange } from '../../emulator/index.ts';
import { InterruptedError } from '../../errors.ts';
import {
  launchLine,
  requestLine,
  requestText,
  TRAFFIC,
  type TrafficLine,
} from '../output/emulator.ts';
import { tableOf } from '../output/columns.ts';
import { countText, numberText } from '../output/units.ts';
import { type Called, type Context, withOptions } from '../runtime.ts';
import { moreText, shownLimit } from '../output/notes.ts';
import { wantsJson } from '../output/print.ts';
import { JsonList, RawJson, type Result } from '../output/result.ts';
import { control, controlLines } from './control.ts';
import { allPages } from './request.ts';
import type { REQUESTS_FLAGS } from './flags.ts';

export function runRequests(given: Called<typeof REQUESTS_FLAGS>) {
  const context = withTool(given);
  const { follow, show, replay, har } = context.options;
  if (follow) return followed(context);
  if (replay !== undefined) return sendAgain(context, replay);
  if (show !== undefined) return showOne(context, show);
  if (har === undefined) return listed(context, given.options.filter);
  return import('./har.ts').then(({ writeHar }) => writeHar(context, har));
}

async function listed(
  context: Called<typeof REQUESTS_FLAGS>,
  filter: string | undefined,
): Promise<Result> {
  const { requests, found, kept, missed, missed_why: why, next } = await newest(context);
  const areAll = filter === undefined && context.options.after === undefined;
  // What selects requests leaves out launches.
  const hasLaunches = !wantsJson(context) && areAll;
  const launches = hasLaunches ? await launchLines(context) : [];
  const lines = merged(requests.map(requestLine), launches);
  const json = new JsonList([requests.map((each) => JSON.stringify(each))], { isLines: true });
  const none = kept > 0 ? 'no request matches' : 'no requests yet';
  const isCut = next !== null && shownLimit(context) === Infinity;
  const notes = [
    lines.length === 0 ? none : undefined,
    ...moreText(context, found + launches.length),
    missed > 0 ? `${countText(missed, 'request')} could not be kept: ${why}` : undefined,
    isCut
      ? `these are the latest ${numberText(requests.length)} of ${numberText(found)} requests`
      : undefined,
  ];
  const show = lines.length === 0 ? undefined : tableOf(TRAFFIC, lines.slice(-shownLimit(context)));
  return { json, show, notes };
}

/** Requests in their order, since the clock may have gone back, with the launches between them. */
function merged(requests: readonly TrafficLine[], launches: readonly TrafficLine[]): TrafficLine[] {
  const left = launches.toSorted((a, b) => a.at - b.at);
  const before = ({ at }: TrafficLine): TrafficLine[] => {
    const later = left.findIndex((launch) => launch.at > at);
    return left.splice(0, later === -1 ? left.length : later);
  };
  return [...requests.flatMap((request) => [...before(request), request]), ...left];
}

/** `--tool` is a word of the filter. */
function withTool(context: Called<typeof REQUESTS_FLAGS>): Called<typeof REQUESTS_FLAGS> {
  const { tool, filter = '' } = context.options;
  if (!tool) return context;
  return withOptions(context, { ...context.options, filter: `${filter} by:tool` });
}

async function launchLines(context: Called<typeof REQUESTS_FLAGS>): Promise<TrafficLine[]> {
  const latest = await control(context, 'GET tokens', { limit: LARGEST_PAGE });
  if (shownLimit(context) !== Infinity) return latest.items.map(launchLine);
  const { items } = await allPages(latest, (page) => control(context, 'GET tokens', page));
  return items.map(launchLine);
}

/** The newest requests, from as many pages as they take. */
async function newest(context: Called<typeof REQUESTS_FLAGS>): Promise<Answers['GET requests']> {
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
async function* followed(context: Called<typeof REQUESTS_FLAGS>): AsyncGenerator<Result> {
  const { filter, after } = context.options;
  for await (const line of controlLines(context, 'GET requests/follow', { filter, after })) {
    const request = requestLine(JSON.parse(line) as Exchange);
    yield { json: new RawJson(line), show: { lines: tableOf(TRAFFIC, [request]) } };
  }
  if (context.interrupt.aborted) throw new InterruptedError('interrupted');
  yield { notes: ['the emulator has stopped'] };
}

async function sendAgain(context: Context, number: number): Promise<Result> {
  const sent = await control(context, 'POST requests/replay', { number });
  const note = `sent again as request ${sent.number}: ${sent.status ?? 'closed'}`;
  return { json: sent, notes: [note] };
}

async function showOne(context: Context, number: number): Promise<Result> {
  const request = await control(context, 'GET request', { number });
  const isDropped = request.captured === null;
  const note = 'headers and bodies of this request were dropped for later requests';
  return { json: request, show: requestText(request), ...(isDropped && { notes: [note] }) };
}
