import type { Command } from 'commander';
import type { Runtime } from '../runtime.ts';
import { group, verb } from './group.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  const key = group(program, 'key', summary);
  registerSave(key, runtime);
  registerList(key, runtime);
  registerRemove(key, runtime);
}

function registerList(parent: Command, runtime: Runtime): void {
  parent
    .command('list')
    .summary('the saved keys')
    .description('List the saved keys by name, with the origin of each. No part of a key is shown.')
    .action(
      verb(runtime, async (context) => {
        const { runList } = await import('../key/list.ts');
        await runList(context);
      }),
    );
}

function registerRemove(parent: Command, runtime: Runtime): void {
  parent
    .command('rm')
    .summary('forget a saved key')
    .description('Forget a saved key. The key itself stays valid: rotate it in the dashboard.')
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
    .summary('keep a tool API key by name')
    .description(
      'Keep a tool API key by name. The key is read from standard input, or asked for on a terminal; it is never an argument, never shown, and sent to its origin only.',
    )
    .argument('<name>', 'the name to keep it under')
    .option('--origin <url>', 'the base address of the service that the key is for (required)')
    .option('--force', 'replace the key that has the name')
    .action(
      verb(runtime, async (context, name: string) => {
        const { runSave } = await import('../key/save.ts');
        await runSave(context, name);
      }),
    );
}
