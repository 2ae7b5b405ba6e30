import type { Answers } from '../../emulator/index.ts';
import { UsageError } from '../../errors.ts';
import { FAULT_KINDS, FAULT_NAMES, kindsOf } from '../../fault-kinds.ts';
import { faultTable } from '../output/emulator.ts';
import type { Context } from '../runtime.ts';
import { note, printJson, printTable } from '../ui.ts';
import { control } from './control.ts';
import type { EmulatorFaultOptions } from './flags.ts';

export async function runFault(context: Context<EmulatorFaultOptions>): Promise<void> {
  const { method, path, times, status, header, body, close, cut, delay } = context.options;
  if (path === undefined)
    throw new UsageError('--path is required', 'use --path . to match all requests');
  const effect = { status, close, cut, delay_ms: delay };
  const kinds = kindsOf(effect).length;
  if (kinds !== 1) {
    const problem =
      kinds === 0 ? 'no fault given' : 'only one fault can be injected into a response';
    const flags = FAULT_NAMES.map((kind) => FAULT_KINDS[kind].flag.split(' ')[0]);
    throw new UsageError(problem, `use one of ${flags.join(', ')}`);
  }
  if (status === undefined && (header !== undefined || body !== undefined)) {
    throw new UsageError('--header and --body require --status');
  }
  const asked = { method, path, times, ...effect, headers: headersOf(header), body };
  const shown = await control(context, 'POST fault', asked);
  await show(context, shown);
}

export async function runFaultList(context: Context): Promise<void> {
  await show(context, await control(context, 'GET faults'));
}

export async function runFaultRemove(context: Context, id: number): Promise<void> {
  await show(context, await control(context, 'POST fault/remove', { id }));
}

export async function runClear(context: Context): Promise<void> {
  await show(context, await control(context, 'POST fault/clear'));
}

function headersOf(lines: readonly string[] | undefined): Record<string, string> | undefined {
  if (lines === undefined) return undefined;
  const entries = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
  });
  return Object.fromEntries(entries);
}

async function show(context: Context, shown: Answers['POST fault']): Promise<void> {
  const { faults } = shown;
  if (context.options.json) await printJson(context, shown);
  else if (faults.length > 0) await printTable(context, faultTable(faults));
  else await note(context, 'no pending faults');
}
