import type { Exchange } from '../../emulator/index.ts';
import { InterruptedError } from '../../errors.ts';
import { exchangeTable } from '../output/emulator.ts';
import { tabSeparated } from '../output/table.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { note, printTable, writeJson } from '../ui.ts';
import { control, controlLines } from './control.ts';

interface RequestsOptions extends GlobalOptions {
  readonly follow?: boolean;
}

export async function runRequests(runtime: Runtime, options: RequestsOptions): Promise<void> {
  if (options.follow) {
    await follow(runtime, options);
    return;
  }
  const { requests: exchanges } = await control(runtime, options, 'GET requests');
  if (options.json) {
    const lines = exchanges.map((each) => `${JSON.stringify(each)}\n`);
    await writeJson(runtime.stdout, lines.join(''));
  } else if (exchanges.length > 0) await printTable(runtime, exchangeTable(exchanges));
  else await note(runtime, options, 'there was no request yet');
}

/** Each in a line of its own as it comes, so that another program can read along. */
async function follow(runtime: Runtime, options: RequestsOptions): Promise<void> {
  const { stdout } = runtime;
  for await (const line of controlLines(runtime, options, 'GET requests/follow')) {
    if (options.json) await writeJson(stdout, `${line}\n`);
    else await stdout.write(tabSeparated(exchangeTable([JSON.parse(line) as Exchange])));
    if (stdout.broken) return;
  }
  if (runtime.interrupt.aborted) throw new InterruptedError('interrupted');
  await note(runtime, options, 'the emulator has stopped');
}
