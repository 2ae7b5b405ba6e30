import { type Finding, isError } from '../../validator/finding.ts';
import { InvalidError, type ReportedFinding } from '../../errors.ts';
import { withCommand } from '../output/command-hints.ts';
import type { Context } from '../runtime.ts';
import { note } from '../ui.ts';

/** Throws `InvalidError` with all findings if one is an error: the service would certainly refuse. */
export function refuseErrors(findings: readonly Finding[], message: string): void {
  if (findings.some(isError)) throw new InvalidError(message, { findings });
}

/** Prints warnings to standard error, about payloads that the service accepts or may accept. */
export async function noteWarnings(
  context: Context,
  findings: readonly ReportedFinding[],
): Promise<void> {
  for (const { code, path, message, hint } of findings.slice(0, MAX_TOLD)) {
    const where = path === '' ? '' : `${path}: `;
    await note(context, `warning: ${where}${message}; ${withCommand(code, hint)}`);
  }
  const more = findings.length - MAX_TOLD;
  if (more > 0) await note(context, `and ${more} more warnings`);
}

const MAX_TOLD = 10;
