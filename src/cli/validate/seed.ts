import { seedKind } from '../input/seed.ts';
import { readDocument } from '../input/document.ts';
import type { Context } from '../runtime.ts';
import type { ValidateReportOptions } from './flags.ts';
import { checkPayloads } from './payloads.ts';

export async function runSeed(
  context: Context<ValidateReportOptions>,
  files: readonly string[],
): Promise<void> {
  const kind = await seedKind();
  await checkPayloads(context, 'seed', files, (bytes) => readDocument(bytes, kind).findings);
}
