import type { Command } from 'commander';
import type { Runtime } from '../runtime.ts';
import { group, verb } from './group.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  const key = group(program, 'key', summary);
  registerSave(key, runtime);
  registerList(key, runtime);
  registerUse(key, runtime);
  registerRemove(key, runtime);
}

function registerList(parent: Command, runtime: Runtime): void {
  parent
    .command('list')
    .summary('list saved keys')
    .description('List the saved keys with their origins. The keys themselves are never shown.')
    .action(
      verb(runtime, async (context) => {
        const { runList } = await import('../key/list.ts');
        await runList(context);
      }),
    );
}

function registerUse(parent: Command, runtime: Runtime): void {
  parent
    .command('use')
    .summary('set the default key for grades')
    .description(
      'Set the key that grade commands use by default, for URLs under /contexts/. A launch or a key that is given by a flag or the environment goes before it.',
    )
    .argument('<name>', 'a saved key')
    .action(
      verb(runtime, async (context, name: string) => {
        const { runUse } = await import('../key/use.ts');
        await runUse(context, name);
      }),
    );
}

function registerRemove(parent: Command, runtime: Runtime): void {
  parent
    .command('rm')
    .summary('delete a saved key')
    .description(
      'Delete a saved key. The key itself stays valid: rotate it in the dashboard to revoke it.',
    )
    .argument('<name>', 'a saved key')
    .action(
      verb(runtime, async (context, name: string) => {
        const { runRemove } = await import('../key/rm.ts');
        await runRemove(context, name);
      }),
    );
}

function registerSave(parent: Command, runtime: Runtime): void {
  parent
    .command('save')
    .summary('save a tool API key by name')
    .description(
      'Save a tool API key by name. The key is read from standard input, or prompted for on a terminal; it is never an argument, never shown, and sent only to its origin.',
    )
    .argument('<name>', 'the name to save it under')
    .option('--origin <url>', 'the base URL of the service that the key is for (required)')
    .option('--force', 'replace an existing key of that name')
    .action(
      verb(runtime, async (context, name: string) => {
        const { runSave } = await import('../key/save.ts');
        await runSave(context, name);
      }),
    );
}
