import type { Exchange } from '../../emulator/index.ts';
import { InterruptedError } from '../../errors.ts';
import { exchangeTable } from '../output/emulator.ts';
import { requestText } from '../output/emulator-lists.ts';
import { tabSeparated } from '../output/table.ts';
import type { Context } from '../runtime.ts';
import { noteMore, shownLimit } from '../shared/newest.ts';
import { note, printJson, printTable, printText, writeJson } from '../ui.ts';
import { control, controlLines } from './control.ts';
import type { EmulatorRequestsOptions } from './flags.ts';

export async function runRequests(context: Context<EmulatorRequestsOptions>): Promise<void> {
  const { options } = context;
  if (options.follow) {
    await follow(context);
    return;
  }
  if (options.show !== undefined || options.replay !== undefined) {
    await one(context);
    return;
  }
  const { requests } = await control(context, 'GET requests');
  // The newest one is the last.
  const exchanges = requests.slice(Math.max(0, requests.length - shownLimit(context)));
  if (options.json) {
    const lines = exchanges.map((each) => `${JSON.stringify(each)}\n`);
    await writeJson(context.stdout, lines.join(''));
  } else if (exchanges.length > 0) await printTable(context, exchangeTable(exchanges));
  else await note(context, 'no requests yet');
  await noteMore(context, requests.length);
}

/** Each in a line of its own as it comes, so that another program can read along. */
async function follow(context: Context<EmulatorRequestsOptions>): Promise<void> {
  const { stdout } = context;
  for await (const line of controlLines(context, 'GET requests/follow')) {
    if (context.options.json) await writeJson(stdout, `${line}\n`);
    else await stdout.write(tabSeparated(exchangeTable([JSON.parse(line) as Exchange])));
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
    await note(
      context,
      'headers and bodies of this request were not kept; they are while a console is open, or with emulator start --capture',
    );
  }
}
