import { type Kind, schemaFor } from '../../validator/schema.ts';
import type { Runtime } from '../runtime.ts';
import { printJsonText } from '../ui.ts';

export async function runSchema(runtime: Runtime, kind: Kind): Promise<void> {
  await printJsonText(runtime, JSON.stringify(schemaFor(kind), null, 2));
}
