import type { Command } from 'commander';
import { control } from '../../emulator/control.ts';
import { findEmulators } from '../../emulator/record.ts';
import { CredentialError } from '../../errors.ts';
import { group } from '../../group.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import { launchNamed } from '../../target.ts';
import { note, printJson } from '../../ui.ts';

export function registerToken(parent: Command, runtime: Runtime): void {
  group(parent, 'token', 'the tokens of launches')
    .command('end')
    .summary('end the token of a launch')
    .description('End the token of a saved launch, or of one in a file, at once and for good.')
    .argument('<name>', 'a saved launch, or a file')
    .action(async (name, _options, command: Command) => {
      await runEnd(runtime, command.optsWithGlobals(), name);
    });
}

async function runEnd(runtime: Runtime, options: GlobalOptions, name: string): Promise<void> {
  const { launch, origin } = await launchNamed(runtime, name);
  const { token } = launch;
  if (token === undefined) throw new CredentialError(`the launch ${name} has no api.token`);
  const mine = (await findEmulators(runtime, options)).find(({ url }) => url === origin);
  if (mine === undefined) {
    throw new CredentialError(
      `the launch ${name} is not from this emulator but from ${origin ?? 'an unknown service'}`,
      'its token is sent nowhere else; name the emulator it is from: --emulator URL',
    );
  }
  const meant = { ...options, emulator: mine.url };
  const done = await control(runtime, meant, 'POST token/end', { token });
  if (options.json) await printJson(runtime, done);
  await note(runtime, options, done.ended === 0 ? 'it had ended already' : 'the token has ended');
}
