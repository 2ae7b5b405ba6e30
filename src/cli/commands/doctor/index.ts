import type { Command } from 'commander';
import { checkMachine } from '../../doctor/machine.ts';
import { checkState } from '../../doctor/state.ts';
import { Outcome } from '../../errors.ts';
import { doctorTable, doctorText } from '../../output/doctor.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import { printJson, printTable, printText } from '../../ui.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  program
    .command('doctor')
    .summary(summary)
    .description(
      'Look over what lectern depends on: where it keeps things and who can read them, the keychain, the ledger, Node, proxies and certificates. Calls nobody. Exits with 1 when something is wrong.',
    )
    .action(async (_options, command: Command) => {
      await runDoctor(runtime, command.optsWithGlobals());
    });
}

async function runDoctor(runtime: Runtime, options: GlobalOptions): Promise<void> {
  const checkups = [...(await checkMachine(runtime, __VERSION__)), ...(await checkState(runtime))];
  const wrong = checkups.filter(({ state }) => state === 'wrong');
  const { stdout } = runtime;
  if (options.json) await printJson(runtime, { ok: wrong.length === 0, checkups });
  else if (stdout.isTerminal) await printText(runtime, doctorText(checkups, stdout.columns));
  else await printTable(runtime, doctorTable(checkups));
  if (wrong.length === 0) return;
  const names = wrong.map(({ name }) => name).join(', ');
  throw new Outcome(1, 'doctor', `something is wrong: ${names}`);
}
