import { UsageError } from '../../errors.ts';
import { CredentialError } from '../errors.ts';
import type { Result } from '../output/result.ts';
import { type Context, withOptions } from '../runtime.ts';
import { launchNamed } from '../session/launch.ts';
import { control } from './control.ts';
import type { EmulatorTokenEndOptions } from './flags.ts';
import { findEmulators } from './find.ts';

export async function runTokenEnd(
  context: Context<EmulatorTokenEndOptions>,
  name: string | undefined,
): Promise<Result> {
  const { launchId } = context.options;
  if ((name === undefined) === (launchId === undefined)) {
    throw new UsageError('name one launch', 'give a saved launch or a file, or --launch-id ID');
  }
  const done =
    name === undefined
      ? await control(context, 'POST token/end', { launch_id: launchId })
      : await endSaved(context, name);
  const note = done.ended === 0 ? 'the token had already ended' : 'the token has ended';
  return { json: done, notes: [note] };
}

async function endSaved(context: Context, name: string) {
  const { launch, origin } = await launchNamed(context, name);
  const { token } = launch;
  if (token === undefined) throw new CredentialError(`launch ${name} has no api.token`);
  const issuer = (await findEmulators(context)).find(
    ({ url, record }) => (record?.public_url ?? url) === origin,
  );
  if (issuer === undefined) {
    throw new CredentialError(
      `launch ${name} is not from this emulator but from ${origin ?? 'an unknown service'}`,
      'its token is only sent to its own service; select its emulator with --emulator URL',
    );
  }
  const atIssuer = withOptions(context, { ...context.options, emulator: issuer.url });
  return control(atIssuer, 'POST token/end', { token });
}
