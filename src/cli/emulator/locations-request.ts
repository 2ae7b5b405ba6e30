import { InvalidError } from '../../errors.ts';
import { ExitError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { Context } from '../runtime.ts';
import type { Result } from '../output/result.ts';
import { control } from './control.ts';
import type { EmulatorLocationsRequestOptions } from './flags.ts';

export async function runLocationsRequest(
  context: Context<EmulatorLocationsRequestOptions>,
): Promise<Result> {
  const { tool, course } = context.options;
  const asked = await control(context, 'POST locations-request', { tool, course });
  const { answer, findings, error } = asked;
  const shown = { json: asked, ...(answer !== null && { show: { json: answer } }) };
  if (error !== null) {
    const message = `tool ${asked.tool}: ${error}`;
    const exit = new ExitError(EXIT.unreachable, 'locations.no_answer', message);
    return { ...shown, exit };
  }
  const notes = findings.map(({ severity, message, hint }) => `${severity}: ${message}; ${hint}`);
  const worst = findings.find(({ severity }) => severity === 'error');
  const exit = worst && new InvalidError('the service rejects that answer', { code: worst.code });
  return { ...shown, notes, exit };
}
