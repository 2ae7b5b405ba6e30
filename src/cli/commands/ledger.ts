import type { Command } from 'commander';
import type { Runtime } from '../runtime.ts';
import { group, verb } from './group.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  const ledger = group(program, 'ledger', summary);
  registerSchema(ledger, runtime);
  registerStatus(ledger, runtime);
  registerNames(ledger, runtime);
  registerImport(ledger, runtime);
  registerPrune(ledger, runtime);
}

function registerSchema(parent: Command, runtime: Runtime): void {
  parent
    .command('init')
    .summary('create a ledger in a PostgreSQL database')
    .description(
      'Create the schema lectern in a PostgreSQL database (14 or later), and print the SQL that makes the roles lectern_owner, lectern_worker and lectern_reader with their rights. Nothing outside of that schema is touched.',
    )
    .action(
      verb(runtime, async (context) => {
        const { runInit } = await import('../ledger/init.ts');
        await runInit(context);
      }),
    );
  parent
    .command('migrate')
    .summary('update the schema of a ledger')
    .description(
      'Update the schema of an older ledger to the version of this lectern. No other command does. End the workers first: an older lectern refuses a newer schema.',
    )
    .action(
      verb(runtime, async (context) => {
        const { runMigrate } = await import('../ledger/migrate.ts');
        await runMigrate(context);
      }),
    );
}

function registerStatus(parent: Command, runtime: Runtime): void {
  parent
    .command('status')
    .summary('show version, TLS, workers, runs, doubts and replication')
    .description(
      'Show how a shared ledger stands: schema and server version, TLS, the login and its role, runs, attempts in doubt, the workers that send now, replication, and the responses on this machine that the server has not taken yet, which are delivered first.',
    )
    .action(
      verb(runtime, async (context) => {
        const { runStatus } = await import('../ledger/status.ts');
        await runStatus(context);
      }),
    );
}

function registerNames(parent: Command, runtime: Runtime): void {
  parent
    .command('save')
    .summary('save the address of a ledger by name')
    .description(
      'Save the address of a shared ledger by name. The password is read from standard input, or prompted for on a terminal; it is never an argument, never shown, and may be empty, for ~/.pgpass or PGPASSWORD to have it.',
    )
    .argument('<name>', 'the name to save it under')
    .option('--force', 'replace an existing ledger of that name')
    .action(
      verb(runtime, async (context, name: string) => {
        const { runSave } = await import('../ledger/save.ts');
        await runSave(context, name);
      }),
    );
  parent
    .command('use')
    .summary('choose the ledger of later commands')
    .description(
      'Choose the saved ledger that later commands use; local is the one of this machine.',
    )
    .argument('<name>', 'a saved ledger, or local')
    .action(
      verb(runtime, async (context, name: string) => {
        const { runUse } = await import('../ledger/use.ts');
        await runUse(context, name);
      }),
    );
  parent
    .command('list')
    .summary('list saved ledgers')
    .description('List the saved addresses of shared ledgers. Passwords are never shown.')
    .action(
      verb(runtime, async (context) => {
        const { runList } = await import('../ledger/list.ts');
        await runList(context);
      }),
    );
  parent
    .command('rm')
    .summary('delete a saved address')
    .description('Delete a saved address and its password. The ledger itself is not touched.')
    .argument('<name>', 'a saved ledger')
    .action(
      verb(runtime, async (context, name: string) => {
        const { runRemove } = await import('../ledger/rm.ts');
        await runRemove(context, name);
      }),
    );
}

function registerImport(parent: Command, runtime: Runtime): void {
  parent
    .command('import')
    .summary("copy this machine's ledger into a shared one")
    .description(
      "Copy the attempts and runs of this machine's ledger into a shared one: all of them in one transaction, counted afterwards, and only once. Runs get new numbers there.",
    )
    .action(
      verb(runtime, async (context) => {
        const { runImport } = await import('../ledger/import.ts');
        await runImport(context);
      }),
    );
}

function registerPrune(parent: Command, runtime: Runtime): void {
  parent
    .command('prune')
    .summary('remove old attempts and runs from a shared ledger')
    .description(
      "Remove attempts and runs older than a duration, by the server's clock. The newest success of each member, all attempts in doubt and all runs that are not sent whole are kept. Needs the owner role.",
    )
    .option('--older-than <duration>', 'how old, such as 180d (required)')
    .option('--run <run>', 'only this run')
    .option('--dry-run', 'show how much would be removed without removing it')
    .action(
      verb(runtime, async (context) => {
        const { runPrune } = await import('../ledger/prune.ts');
        await runPrune(context);
      }),
    );
}
