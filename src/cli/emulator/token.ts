import { CredentialError } from '../errors.ts';
import { type Context, withOptions } from '../runtime.ts';
import { launchNamed } from '../session/launch.ts';
import { note, printJson } from '../ui.ts';
import { control } from './control.ts';
import { findEmulators } from './record.ts';

export async function runEnd(context: Context, name: string): Promise<void> {
  const { options } = context;
  const { launch, origin } = await launchNamed(context, name);
  const { token } = launch;
  if (token === undefined) throw new CredentialError(`launch ${name} has no api.token`);
  const mine = (await findEmulators(context)).find(({ url }) => url === origin);
  if (mine === undefined) {
    throw new CredentialError(
      `launch ${name} is not from this emulator but from ${origin ?? 'an unknown service'}`,
      'its token is only sent to its own service; select its emulator with --emulator URL',
    );
  }
  const meant = { ...options, emulator: mine.url };
  const done = await control(withOptions(context, meant), 'POST token/end', { token });
  if (options.json) await printJson(context, done);
  await note(context, done.ended === 0 ? 'the token had already ended' : 'the token has ended');
}
