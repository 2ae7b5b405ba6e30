import { violation } from '../../contract/index.ts';
import { toFindings } from '../../validator/finding.ts';
import type { Context } from '../runtime.ts';
import { findingWithCommand } from '../output/command-hints.ts';
import { noteWarnings } from '../output/notes.ts';
import { writeJson } from '../output/print.ts';

/**
 * Notes the pointers of names that occur twice in a text: on standard error, since the output is
 * the text itself.
 */
export async function noteDuplicates(
  context: Context,
  duplicates: readonly string[],
  text: string,
): Promise<void> {
  const { options } = context;
  const violations = duplicates.map((pointer) => violation('body.duplicate_name', pointer));
  const findings = toFindings(violations, text);
  if (!options.json) await noteWarnings(context, findings);
  else if (!options.quiet)
    await writeJson(
      context.stderr,
      `${JSON.stringify({ findings: findings.map(findingWithCommand) })}\n`,
    );
}
