import type { Command } from 'commander';
import { InvalidError, UsageError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import { clientFor, findLaunch, needLaunch, refuseApiKey, tokenFor } from '../../target.ts';
import { note, printDryRun, printJson } from '../../ui.ts';

const LEVELS = ['context', 'location'] as const;
type Level = (typeof LEVELS)[number];

interface ProvisionOptions extends GlobalOptions {
  readonly dryRun?: boolean;
}

export function register(program: Command, runtime: Runtime, summary: string): void {
  program
    .command('provision')
    .summary(summary)
    .description(
      'The finish call: PUT the provision URL of a level, after which its row and files answer.',
    )
    .argument('<level>', 'context or location')
    .option('--dry-run', 'show what would be sent, and send nothing')
    .action(async (level: string, _options, command: Command) => {
      await runProvision(runtime, command.optsWithGlobals(), level);
    });
}

async function runProvision(
  runtime: Runtime,
  options: ProvisionOptions,
  given: string,
): Promise<void> {
  refuseApiKey(options, 'provisioning takes the token of a launch or provision request');
  const level = LEVELS.find((each) => each === given);
  if (!level)
    throw new UsageError(`unknown level ${JSON.stringify(given)}`, nearest(given, LEVELS));
  const used = await findLaunch(runtime, options);
  const url = options.url ?? provisionUrl(needLaunch(used), level);
  if (options.dryRun) {
    await printDryRun(runtime, options, { method: 'PUT', url });
    return;
  }
  const client = await clientFor(runtime, options, tokenFor(runtime, used, url));
  await client.finishProvision(url);
  if (options.json) await printJson(runtime, { provisioned: level });
  else
    await note(runtime, options, `the ${level} level is provisioned; its row and files answer now`);
}

function provisionUrl({ launch, name }: ReturnType<typeof needLaunch>, level: Level): string {
  const url = launch.provision[level];
  if (url !== undefined) return url;
  throw new InvalidError(`the launch ${name} has no provision.${level}`, {
    code: 'launch.claim_missing',
    hint: 'the provision claim is part of a provision request; ask for a new one',
  });
}
