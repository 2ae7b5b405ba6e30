import { UsageError } from '../../errors.ts';
import { FAULT_KINDS, FAULT_NAMES, kindsOf } from '../../fault-kinds.ts';
import type { Result } from '../output/result.ts';
import type { Context } from '../runtime.ts';
import { control } from './control.ts';
import type { EmulatorFaultOptions } from './flags.ts';
import { listResult } from './request.ts';

export async function runFault(context: Context<EmulatorFaultOptions>): Promise<Result> {
  const { method, path, times, status, header, body, close, cut, delay, offline } = context.options;
  if (offline) {
    const asked = { method, path: path ?? '.', close: 'before', lasts: true } as const;
    return listResult('faults', await control(context, 'POST fault', asked));
  }
  if (path === undefined)
    throw new UsageError('--path is required', 'use --path . to match all requests');
  const effect = { status, close, cut, delay_ms: delay };
  const kinds = kindsOf(effect).length;
  if (kinds !== 1) {
    const problem =
      kinds === 0 ? 'no fault given' : 'only one fault can be injected into a response';
    const flags = FAULT_NAMES.map((kind) => FAULT_KINDS[kind].flag.split(' ')[0]);
    throw new UsageError(problem, `use one of ${flags.join(', ')}, --offline`);
  }
  if (status === undefined && (header !== undefined || body !== undefined)) {
    throw new UsageError('--header and --body require --status');
  }
  const asked = { method, path, times, ...effect, headers: headersOf(header), body };
  return listResult('faults', await control(context, 'POST fault', asked));
}

function headersOf(lines: readonly string[] | undefined): Record<string, string> | undefined {
  if (lines === undefined) return undefined;
  const entries = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
  });
  return Object.fromEntries(entries);
}
