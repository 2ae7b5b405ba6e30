import { buffer } from 'node:stream/consumers';
import { readInput } from '../input/read.ts';
import { versionTable } from '../output/emulator.ts';
import type { Context } from '../runtime.ts';
import { note } from '../output/notes.ts';
import { printJson, printTable, writeRaw } from '../output/print.ts';
import { control, controlBytes } from './control.ts';
import type { EmulatorRowOptions } from './flags.ts';

export async function runRow(context: Context<EmulatorRowOptions>, row: string): Promise<void> {
  const { versions, versionNumber, put } = context.options;
  if (put !== undefined) await putRow(context, row, put);
  else if (versions) await printVersions(context, row);
  else {
    const bytes = controlBytes(context, 'GET row', { row, version: versionNumber });
    await writeRaw(context, await buffer(bytes));
  }
}

async function printVersions(context: Context<EmulatorRowOptions>, row: string): Promise<void> {
  const shown = await control(context, 'GET row/versions', { row });
  if (context.options.json) await printJson(context, shown);
  else if (shown.versions.length > 0) await printTable(context, versionTable(shown));
  else await note(context, 'the row was not written since the emulator started');
}

async function putRow(
  context: Context<EmulatorRowOptions>,
  row: string,
  file: string,
): Promise<void> {
  const { bytes: body } = await readInput(context, file, 'the row');
  const done = await control(context, 'POST row', { row }, { type: 'application/json', body });
  if (context.options.json) await printJson(context, done);
  await note(context, `wrote ${done.bytes} bytes to ${done.row}`);
}
