import { EXIT } from '../exit-codes.ts';
import { ExitError } from '../errors.ts';
import { doctorTable, doctorText } from '../output/doctor.ts';
import type { Context } from '../runtime.ts';
import { printJson, printTable } from '../ui.ts';
import { checkMachine } from './machine.ts';
import { checkState } from './state.ts';

export async function runDoctor(context: Context): Promise<void> {
  const checkups = [...(await checkMachine(context, __VERSION__)), ...(await checkState(context))];
  const failures = checkups.filter(({ state }) => state === 'wrong');
  const { stdout } = context;
  if (context.options.json)
    await printJson<'doctor'>(context, { ok: failures.length === 0, checkups });
  else if (stdout.isTerminal)
    await stdout.write(`${doctorText(checkups, stdout.columns, stdout.colors)}\n`);
  else await printTable(context, doctorTable(checkups));
  if (failures.length === 0) return;
  const names = failures.map(({ name }) => name).join(', ');
  throw new ExitError(EXIT.unexpected, 'doctor', `failed checks: ${names}`);
}
