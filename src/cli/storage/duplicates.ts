import { violation } from '../../contract/index.ts';
import { toFindings } from '../../validator/finding.ts';
import type { Context } from '../runtime.ts';
import { noteFindings } from '../output/notes.ts';

/**
 * Notes the pointers of names that occur twice in a text: on standard error, since the output is
 * the text itself.
 */
export async function noteDuplicates(
  context: Context,
  duplicates: readonly string[],
  text: string,
): Promise<void> {
  const violations = duplicates.map((pointer) => violation('body.duplicate_name', pointer));
  await noteFindings(context, toFindings(violations, text));
}
