import { type Finding, isError } from '../../validator/finding.ts';
import { InvalidError } from '../../errors.ts';
import { withCommand } from '../output/command-hints.ts';
import type { Context } from '../runtime.ts';
import { note } from '../ui.ts';

/** Refuses what the contract makes certain to be refused (exit 3, nothing sent), with every finding. */
export function refuseErrors(findings: readonly Finding[], message: string): void {
  if (findings.some(isError)) throw new InvalidError(message, { findings });
}

/** Says what is accepted, or may be, and was probably not meant. */
export async function noteWarnings(context: Context, findings: readonly Finding[]): Promise<void> {
  for (const { code, path, message, hint } of findings.slice(0, MAX_TOLD)) {
    const where = path === '' ? '' : `${path}: `;
    await note(context, `warning: ${where}${message}; ${withCommand(code, hint)}`);
  }
  const more = findings.length - MAX_TOLD;
  if (more > 0) await note(context, `and ${more} more warnings`);
}

const MAX_TOLD = 10;
