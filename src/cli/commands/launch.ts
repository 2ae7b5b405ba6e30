import type { Command } from 'commander';
import type { Runtime } from '../runtime.ts';
import { group, verb } from './group.ts';
import { CONTRACT_HELP, contractDate } from '../arguments/contract-date.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  const launch = group(program, 'launch', summary);
  registerDecode(launch, runtime);
  registerCheck(launch, runtime);
  registerSave(launch, runtime);
  registerList(launch, runtime);
  registerUse(launch, runtime);
  registerShow(launch, runtime);
  registerRemove(launch, runtime);
}

const WATCH_INTERVAL_MS = 10_000;

function registerCheck(parent: Command, runtime: Runtime): void {
  parent
    .command('check')
    .summary('check which URLs of a launch respond')
    .description(
      'Read every row and file set of a launch in parallel and report which URLs respond. Writes nothing: the grade and provision URLs are not called. Exits with the code of the worst result, in the order 4, 8, 3, 7, 5, 6. A successful call restarts the idle time of the token.',
    )
    .argument('[name]', 'a saved launch or a file; defaults to the launch in use')
    .option('--watch', `check again every ${WATCH_INTERVAL_MS / 1000} s and print each change`)
    .action(
      verb(runtime, async (context, name) => {
        const { runCheck } = await import('../launch/check.ts');
        await runCheck(context, name, WATCH_INTERVAL_MS);
      }),
    );
}

function registerDecode(parent: Command, runtime: Runtime): void {
  parent
    .command('decode')
    .summary('decode and explain a launch')
    .description(
      'Explain a launch: its claims, findings, and the commands it permits. Accepts claims as JSON, a header.payload.signature token (the signature is never checked), a URL or form body that contains one, or base64; with --launch, a saved launch.',
    )
    .argument('[file]', 'the launch; omit or - for standard input')
    .option('--contract <date>', CONTRACT_HELP, contractDate)
    .option('--show-secrets', 'show tokens and signed URLs')
    .option('--exit-code', 'exit with 3 if the launch has an error')
    .action(
      verb(runtime, async (context, file) => {
        const { runDecode } = await import('../launch/decode.ts');
        await runDecode(context, file);
      }),
    );
}

function registerList(parent: Command, runtime: Runtime): void {
  parent
    .command('list')
    .summary('list saved launches')
    .description(
      'List the saved launches: which one is in use, its user and course, and the last known state of its token.',
    )
    .action(
      verb(runtime, async (context) => {
        const { runList } = await import('../launch/list.ts');
        await runList(context);
      }),
    );
}

function registerRemove(parent: Command, runtime: Runtime): void {
  parent
    .command('rm')
    .summary('delete a saved launch')
    .description('Delete a saved launch and its token. The token itself stays valid until it ends.')
    .argument('<name>', 'a saved launch')
    .action(
      verb(runtime, async (context, name: string) => {
        const { runRemove } = await import('../launch/rm.ts');
        await runRemove(context, name);
      }),
    );
}

function registerSave(parent: Command, runtime: Runtime): void {
  parent
    .command('save')
    .summary('save a launch by name')
    .description(
      'Save a launch or provision request by name, in a file that only you can read. Accepts the same input as decode. On a terminal it prompts for missing values.',
    )
    .argument('[name]', 'the name to save it under')
    .argument('[file]', 'the launch; omit or - for standard input')
    .option('--force', 'replace an existing launch of that name')
    .action(
      verb(runtime, async (context, name, file) => {
        const { runSave } = await import('../launch/save.ts');
        await runSave(context, name, file);
      }),
    );
}

function registerShow(parent: Command, runtime: Runtime): void {
  parent
    .command('show')
    .summary('show a saved launch')
    .description(
      'Show a saved launch; defaults to the launch in use. Its token, and what may be a secret in its URLs, are hidden unless --reveal is given.',
    )
    .argument('[name]', 'a saved launch')
    .option(
      '--reveal [claim]',
      'print all claims with secrets, or the value of one claim, such as api.token',
    )
    .action(
      verb(runtime, async (context, name) => {
        const { runShow } = await import('../launch/show.ts');
        await runShow(context, name);
      }),
    );
}

function registerUse(parent: Command, runtime: Runtime): void {
  parent
    .command('use')
    .summary('set the default launch')
    .description(
      'Set the launch that commands use by default. Without a name, prompts on a terminal.',
    )
    .argument('[name]', 'a saved launch')
    .action(
      verb(runtime, async (context, name) => {
        const { runUse } = await import('../launch/use.ts');
        await runUse(context, name);
      }),
    );
}
