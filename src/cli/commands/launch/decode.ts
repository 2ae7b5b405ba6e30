import type { Command } from 'commander';
import { CONTRACT_HELP, contractDate } from '../../arguments/contract-date.ts';
import type { Runtime } from '../../runtime.ts';

export function registerDecode(parent: Command, runtime: Runtime): void {
  parent
    .command('decode')
    .summary('explain a launch')
    .description(
      'Explain a launch: each claim, what is odd, and which commands it permits. Takes claims as JSON, a header.payload.signature token (the signature is never checked), a URL or form body that carries one, or base64; with --launch, a saved one.',
    )
    .argument('[file]', 'the launch; - or nothing is standard input')
    .option('--contract <date>', CONTRACT_HELP, contractDate)
    .option('--show-secrets', 'show tokens and signed addresses')
    .action(async (file, _options, command: Command) => {
      const { runDecode } = await import('../../launch/decode.ts');
      await runDecode(runtime, command.optsWithGlobals(), file);
    });
}
