import { buffer } from 'node:stream/consumers';
import { readInput } from '../input/read.ts';
import { RawJson, type Result } from '../output/result.ts';
import type { Context } from '../runtime.ts';
import { control, controlBytes } from './control.ts';
import type { EmulatorRowOptions } from './flags.ts';
import { listResult } from './request.ts';

export async function runRow(context: Context<EmulatorRowOptions>, row: string): Promise<Result> {
  const { versions, versionNumber, put } = context.options;
  if (put !== undefined) return putRow(context, row, put);
  if (versions) return listResult('versions', await control(context, 'GET row/versions', { row }));
  const bytes = await buffer(controlBytes(context, 'GET row', { row, version: versionNumber }));
  return { json: new RawJson(bytes.toString()), show: { raw: bytes } };
}

async function putRow(context: Context, row: string, file: string): Promise<Result> {
  const { bytes: body } = await readInput(context, file, 'the row');
  const done = await control(context, 'POST row', { row }, { type: 'application/json', body });
  return { json: done, notes: [`wrote ${done.bytes} bytes to ${done.row}`] };
}
