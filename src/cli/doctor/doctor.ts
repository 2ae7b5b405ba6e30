import { EXIT } from '../exit-codes.ts';
import { ExitError } from '../errors.ts';
import { doctorTable, doctorText } from '../output/doctor.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { printJson, printTable, printText } from '../ui.ts';
import { checkMachine } from './machine.ts';
import { checkState } from './state.ts';

export async function runDoctor(runtime: Runtime, options: GlobalOptions): Promise<void> {
  const checkups = [...(await checkMachine(runtime, __VERSION__)), ...(await checkState(runtime))];
  const wrong = checkups.filter(({ state }) => state === 'wrong');
  const { stdout } = runtime;
  if (options.json) await printJson(runtime, { ok: wrong.length === 0, checkups });
  else if (stdout.isTerminal) await printText(runtime, doctorText(checkups, stdout.columns));
  else await printTable(runtime, doctorTable(checkups));
  if (wrong.length === 0) return;
  const names = wrong.map(({ name }) => name).join(', ');
  throw new ExitError(EXIT.unexpected, 'doctor', `something is wrong: ${names}`);
}
