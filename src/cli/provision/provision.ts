import { nearest } from '../../contract/nearest.ts';
import { UsageError, InvalidError } from '../../errors.ts';
import type { Context } from '../runtime.ts';
import { clientFor } from '../session/client.ts';
import { refuseApiKey, tokenFor } from '../session/credential.ts';
import { findLaunch, requireLaunch } from '../session/launch.ts';
import { note, printDone, printDryRun } from '../ui.ts';

const LEVELS = ['context', 'location'] as const;

type Level = (typeof LEVELS)[number];

export async function runProvision(
  context: Context<{ readonly dryRun?: boolean }>,
  given: string,
): Promise<void> {
  const { options } = context;
  refuseApiKey(context, 'provisioning needs the token of a launch or provision request');
  const level = LEVELS.find((each) => each === given);
  if (!level)
    throw new UsageError(`unknown level ${JSON.stringify(given)}`, nearest(given, LEVELS));
  const used = await findLaunch(context);
  const url = options.url ?? provisionUrl(requireLaunch(used), level);
  if (options.dryRun) {
    await printDryRun(context, { method: 'PUT', url });
    return;
  }
  const client = await clientFor(context, tokenFor(context, used, url));
  await client.finishProvision(url);
  const done = `the ${level} level is provisioned; its row and files are available`;
  if (options.json) await printDone(context, { provisioned: level }, done);
  else await note(context, done);
}

function provisionUrl({ launch, name }: ReturnType<typeof requireLaunch>, level: Level): string {
  const url = launch.provision[level];
  if (url !== undefined) return url;
  throw new InvalidError(`launch ${name} has no provision.${level}`, {
    code: 'launch.claim_missing',
    hint: 'only provision requests have a provision claim; get a new one',
  });
}
