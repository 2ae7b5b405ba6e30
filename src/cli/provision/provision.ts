import { doubtAbout } from '../../client/index.ts';
import { nearest } from '../../contract/nearest.ts';
import { UsageError, InvalidError } from '../../errors.ts';
import type { Printed } from '../output/all-forms.ts';
import { dryRun } from '../output/dry-run.ts';
import type { Result } from '../output/result.ts';
import type { Context } from '../runtime.ts';
import { requireLaunch } from '../session/launch.ts';
import { resolveCall } from '../session/resolve-call.ts';

const LEVELS = ['context', 'location'] as const;

type Level = (typeof LEVELS)[number];

export async function runProvision(
  context: Context<{ readonly dryRun?: boolean }>,
  given: string,
): Promise<Result> {
  const { options } = context;
  const level = LEVELS.find((each) => each === given);
  if (!level)
    throw new UsageError(`unknown level ${JSON.stringify(given)}`, nearest(given, LEVELS));
  const { url, client } = await resolveCall(context, {
    url: options.url,
    claim: (used) => provisionUrl(requireLaunch(used), level),
    noKey: 'provisioning needs the token of a launch or provision request',
  });
  if (options.dryRun) return dryRun({ method: 'PUT', url });
  const { finishProvision } = await client();
  await finishProvision(url).catch((error: unknown) => {
    throw doubtAbout(error, { row: { label: level, image: undefined } });
  });
  const done = `the ${level} level is provisioned; its row and files are available`;
  const json: Printed<'provision'> = { provisioned: level };
  return { json, notes: [done], done };
}

function provisionUrl({ launch, name }: ReturnType<typeof requireLaunch>, level: Level): string {
  const url = launch.provision[level];
  if (url !== undefined) return url;
  throw new InvalidError(`launch ${name} has no provision.${level}`, {
    code: 'launch.claim_missing',
    hint: 'only provision requests have a provision claim; get a new one',
  });
}
