import { InterruptedError, InvalidError, UsageError } from '../errors.ts';
import { type Finding, isError } from '../validator/finding.ts';
import type { Context, Runtime } from './runtime.ts';

/** Whether a question would be seen and could be answered. */
export function canPrompt(runtime: Runtime): boolean {
  const { stdin, stderr } = runtime;
  return stdin.isTerminal && !stdin.isTaken && stderr.isTerminal;
}

/**
 * Continues only with a yes. A flag, usually `--yes`, answers it; without a terminal the question is
 * an error (exit 2), never a hang; declining ends with 130 and nothing done.
 */
export async function confirm(
  context: Context,
  question: string,
  { flag, isGiven }: { readonly flag: string; readonly isGiven: boolean | undefined } = {
    flag: '--yes',
    isGiven: context.options.yes,
  },
): Promise<void> {
  if (isGiven) return;
  if (!canPrompt(context)) {
    const why = context.stdin.isTaken ? 'was already read' : 'is not a terminal';
    throw new UsageError(
      `${question} Cannot prompt: standard input ${why}`,
      `pass ${flag} to confirm`,
    );
  }
  const prompts = await context.prompts();
  if (!(await prompts.confirm(question))) throw new InterruptedError('declined; nothing was done');
}

/** Throws `InvalidError` with all findings if one is an error: the service would certainly refuse. */
export function refuseErrors(findings: readonly Finding[], message: string): void {
  if (findings.some(isError)) throw new InvalidError(message, { findings });
}

/** Waits; throws `InterruptedError` at an interrupt. */
export async function pause(runtime: Runtime, ms: number): Promise<void> {
  try {
    await runtime.sleep(ms, runtime.interrupt);
  } catch (error) {
    throw new InterruptedError('interrupted', undefined, { cause: error });
  }
}
