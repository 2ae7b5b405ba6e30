import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createRuntime } from '../../src/cli/adapters/runtime.ts';
import { buildProgram } from '../../src/cli/program.ts';
import type { Runtime } from '../../src/cli/runtime.ts';

const COLUMNS = 80;
const real = createRuntime(process);
const runtime: Runtime = { ...real, stdout: { ...real.stdout, columns: COLUMNS } };

/** Every command with its help, as `--help` prints it where there is no terminal. */
async function* helps(): AsyncGenerator<[path: string, help: string]> {
  const program = await buildProgram(['--help'], runtime);
  yield ['lectern', helpOf(program)];
  for (const noun of program.commands.map((each) => each.name())) {
    const whole = await buildProgram([noun, '--help'], runtime);
    yield* below(whole.commands.find((each) => each.name() === noun) as Command, 'lectern');
  }
}

function* below(command: Command, prefix: string): Generator<[string, string]> {
  const path = `${prefix} ${command.name()}`;
  yield [path, helpOf(command)];
  for (const each of command.createHelp().visibleCommands(command)) {
    if (each.name() !== 'help') yield* below(each, path);
  }
}

/** The help of a command as it is printed, with what stands below it. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ ...command.configureOutput(), writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

test('the help of every command is as it was, and fits 80 columns', async () => {
  const texts: string[] = [];
  for await (const [path, help] of helps()) {
    const tooLong = help.split('\n').filter((line) => line.length > COLUMNS);
    expect({ path, tooLong }).toEqual({ path, tooLong: [] });
    expect(help).toContain(path === 'lectern' ? '--launch <name|file>' : 'lectern help flags');
    texts.push(`$ ${path} --help\n${help}`);
  }
  expect(texts.length).toBeGreaterThan(40);
  await expect(texts.join('\n')).toMatchFileSnapshot('help.txt');
});
