import type { Taken } from '../../emulator/index.ts';
import { defineCommand } from '../declare/define.ts';
import type { PrintedOperation } from '../emulator/request.ts';
import type { Context } from '../runtime.ts';
import type { LimitOptions } from '../arguments/numbers.ts';
import { CONTROL_EXITS } from './exits.ts';

/** Declares a command that calls the emulator's control API, and ends as such calls do. */
export const controlCommand: typeof defineCommand = (spec) =>
  defineCommand({ exits: CONTROL_EXITS, ...spec });

/**
 * The `load` of a command that makes one control request and prints its answer; `taken` makes the
 * parameters of its options and arguments.
 */
export function request<Asked extends PrintedOperation, Options, Args extends readonly unknown[]>(
  operation: Asked,
  taken: (options: Options, ...args: Args) => Taken[Asked],
) {
  return async () => {
    const { runRequest } = await import('../emulator/request.ts');
    return (context: Context<Options & LimitOptions>, ...called: Args): Promise<void> =>
      runRequest(context, operation, taken(context.options, ...called));
  };
}
