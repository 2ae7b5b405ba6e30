import type { Answers } from '../../emulator/index.ts';
import { harEntry, harFrame } from '../output/har.ts';
import { countText } from '../output/units.ts';
import type { Context } from '../runtime.ts';
import { isStandardOutput, writeOutput } from '../shared/write-output.ts';
import { note } from '../ui.ts';
import { control, controlBytes, linesOf } from './control.ts';
import type { EmulatorRequestsOptions } from './flags.ts';

/** Writes the requests to a file as HAR 1.2, one after another, because bodies may take megabytes. */
export async function writeHar(
  context: Context<EmulatorRequestsOptions>,
  file: string,
): Promise<void> {
  const [counts, bases] = [{ entries: 0, captured: 0 }, await control(context, 'GET summary')];
  const [before, after] = harFrame(__VERSION__);
  const { filter, limit } = context.options;
  const text = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(before);
    const lines = linesOf(controlBytes(context, 'GET requests/captured', { filter, limit }));
    for await (const line of lines) {
      const request = JSON.parse(line) as Answers['GET request'];
      yield Buffer.from(
        `${counts.entries === 0 ? '' : ','}\n${JSON.stringify(harEntry(request, bases))}`,
      );
      counts.entries++;
      if (request.captured !== null) counts.captured++;
    }
    yield Buffer.from(after);
  };
  if (isStandardOutput(file)) {
    for await (const chunk of text()) await context.stdout.write(chunk);
    return;
  }
  await writeOutput(context, file, text());
  await note(context, `${countText(counts.entries, 'request')} in ${file}`);
  if (counts.captured === counts.entries) return;
  const missing = countText(counts.entries - counts.captured, 'request');
  await note(context, `of ${missing} headers and bodies were dropped for those of later requests`);
}
