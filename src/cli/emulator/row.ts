import { buffer } from 'node:stream/consumers';
import { readInput } from '../input/read.ts';
import { versionTable } from '../output/emulator-lists.ts';
import type { Context, GlobalOptions } from '../runtime.ts';
import { note, printJson, printTable, writeRaw } from '../ui.ts';
import { control, controlBytes } from './control.ts';

interface RowOptions extends GlobalOptions {
  readonly versions?: boolean;
  readonly versionNumber?: number;
  readonly put?: string;
}

export async function runRow(context: Context<RowOptions>, row: string): Promise<void> {
  const { versions, versionNumber, put } = context.options;
  const query = new URLSearchParams({ row });
  if (put !== undefined) await putRow(context, query, put);
  else if (versions) await printVersions(context, query);
  else {
    if (versionNumber !== undefined) query.set('version', String(versionNumber));
    await writeRaw(context, await buffer(controlBytes(context, 'GET row', {}, query)));
  }
}

async function printVersions(context: Context<RowOptions>, query: URLSearchParams): Promise<void> {
  const shown = await control(context, 'GET row/versions', {}, query);
  if (context.options.json) await printJson(context, shown);
  else if (shown.versions.length > 0) await printTable(context, versionTable(shown));
  else await note(context, 'the row was not written since the emulator started');
}

async function putRow(
  context: Context<RowOptions>,
  query: URLSearchParams,
  file: string,
): Promise<void> {
  const { bytes } = await readInput(context, file, 'the row');
  const answer = await buffer(controlBytes(context, 'POST row', bytes, query));
  const done = JSON.parse(answer.toString()) as { row: string; bytes: number; etag: string };
  if (context.options.json) await printJson(context, done);
  await note(context, `wrote ${done.bytes} bytes to ${done.row}`);
}
