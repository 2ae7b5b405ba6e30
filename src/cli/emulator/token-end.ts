import { UsageError } from '../../errors.ts';
import { CredentialError } from '../errors.ts';
import { type Context, withOptions } from '../runtime.ts';
import { launchNamed } from '../session/launch.ts';
import type { EmulatorTokenEndOptions } from './flags.ts';
import { findEmulators } from './record.ts';
import { runRequest } from './request.ts';

export async function runTokenEnd(
  context: Context<EmulatorTokenEndOptions>,
  name: string | undefined,
): Promise<void> {
  const { launchId } = context.options;
  if ((name === undefined) === (launchId === undefined)) {
    throw new UsageError('name one launch', 'give a saved launch or a file, or --launch-id ID');
  }
  await (name === undefined
    ? runRequest(context, 'POST token/end', { launch_id: launchId })
    : endSaved(context, name));
}

async function endSaved(context: Context, name: string): Promise<void> {
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
  await runRequest(atIssuer, 'POST token/end', { token });
}
