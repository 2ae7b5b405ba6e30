import { InvalidError } from '../../errors.ts';
import { ExitError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { Context } from '../runtime.ts';
import { note } from '../output/notes.ts';
import { printJson } from '../output/print.ts';
import { control } from './control.ts';
import type { EmulatorLocationsRequestOptions } from './flags.ts';

export async function runLocationsRequest(
  context: Context<EmulatorLocationsRequestOptions>,
): Promise<void> {
  const { tool, course, json } = context.options;
  const asked = await control(context, 'POST locations-request', { tool, course });
  const { answer, findings, error } = asked;
  if (json) await printJson(context, asked);
  else if (answer !== null) await printJson(context, answer);
  if (error !== null) {
    throw new ExitError(EXIT.unreachable, 'locations.no_answer', `tool ${asked.tool}: ${error}`);
  }
  const worst = findings.find(({ severity }) => severity === 'error');
  for (const { severity, message, hint } of findings) {
    await note(context, `${severity}: ${message}; ${hint}`);
  }
  if (worst !== undefined) {
    throw new InvalidError('the service rejects that answer', { code: worst.code });
  }
}
