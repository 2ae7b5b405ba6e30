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
    .summary('ask which addresses of a launch answer')
    .description(
      'Read every row and file set of a launch, all at once, and say what answers. Nothing is written: grade and provision addresses are not called. Exits with the worst answer: 4, 8, 3, 7, 5, 6 in this order. A successful call restarts the idle time of the token.',
    )
    .argument('[name]', 'a saved launch or a file; the one in use unless told')
    .option('--watch', `ask again every ${WATCH_INTERVAL_MS / 1000} s and tell each change`)
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
    .summary('explain a launch')
    .description(
      'Explain a launch: each claim, what is odd, and which commands it permits. Takes claims as JSON, a header.payload.signature token (the signature is never checked), a URL or form body that carries one, or base64; with --launch, a saved one.',
    )
    .argument('[file]', 'the launch; - or nothing is standard input')
    .option('--contract <date>', CONTRACT_HELP, contractDate)
    .option('--show-secrets', 'show tokens and signed addresses')
    .option('--exit-code', 'exit with 3 when the launch has an error')
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
    .summary('the saved launches')
    .description(
      'List the saved launches: which is in use, whose and where, and what was last seen.',
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
    .summary('forget a saved launch')
    .description('Forget a saved launch and its token. The token itself goes on living.')
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
    .summary('keep a launch by name')
    .description(
      'Keep a launch or provision request by name, in a file that only you can read. Takes all that decode takes. On a terminal it asks for what is missing.',
    )
    .argument('[name]', 'the name to keep it under')
    .argument('[file]', 'the launch; - or nothing is standard input')
    .option('--force', 'replace the launch that has the name')
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
    .summary('one saved launch')
    .description(
      'Show a saved launch: the one in use unless another is named. Its token and the queries of its addresses are hidden; --reveal prints them.',
    )
    .argument('[name]', 'a saved launch')
    .option('--reveal [claim]', 'print all claims, secrets too; or one, such as api.token, alone')
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
    .summary('choose the launch that commands use')
    .description('Choose the launch that commands use where none is named. Asks on a terminal.')
    .argument('[name]', 'a saved launch')
    .action(
      verb(runtime, async (context, name) => {
        const { runUse } = await import('../launch/use.ts');
        await runUse(context, name);
      }),
    );
}
