import type { Command } from 'commander';
import { createRuntime } from '../../src/cli/adapters/runtime.ts';
import type { CommandDeclaration } from '../../src/cli/declare/define.ts';
import { buildProgram, loadTree } from '../../src/cli/program.ts';
import type { Runtime } from '../../src/cli/runtime.ts';

/** A command with its words, `lectern` left out: '' for lectern itself. */
interface Found {
  readonly path: string;
  readonly command: Command;
}

/** Every command as `--help` has it, for a terminal of this width. */
export async function* commandTree({ columns = 80 } = {}): AsyncGenerator<Found> {
  const real = createRuntime(process, {
    lastWords: async () => {},
    note: async () => {},
    run: async () => 0,
  });
  const runtime: Runtime = { ...real, stdout: { ...real.stdout, columns } };
  const program = await buildProgram(['--help'], runtime);
  yield { path: '', command: program };
  for (const noun of program.commands.map((each) => each.name())) {
    const whole = await buildProgram([noun, '--help'], runtime);
    yield* below(whole.commands.find((each) => each.name() === noun) as Command, '');
  }
}

/** Every command as it is declared, with its words; hidden ones too. */
export async function declarations(): Promise<[path: string, spec: CommandDeclaration][]> {
  return declaredBelow(await loadTree(), '');
}

function declaredBelow(
  specs: readonly CommandDeclaration[],
  above: string,
): [string, CommandDeclaration][] {
  return specs.flatMap((spec) => {
    const path = `${above} ${spec.name}`.trim();
    return [
      [path, spec] as [string, CommandDeclaration],
      ...declaredBelow(spec.commands ?? [], path),
    ];
  });
}

function* below(command: Command, before: string): Generator<Found> {
  const path = `${before} ${command.name()}`.trim();
  yield { path, command };
  for (const each of command.createHelp().visibleCommands(command)) {
    if (each.name() !== 'help') yield* below(each, path);
  }
}
