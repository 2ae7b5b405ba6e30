import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { addReportFlags } from './flags.ts';

export function registerHostedTool(parent: Command, runtime: Runtime): void {
  const tool = parent
    .command('hosted-tool')
    .summary('the folder or zip of a hosted tool')
    .description(
      'Check a hosted tool before it is uploaded: its size zipped and whole, the reserved file at its root, and the keys for which its manifest is refused. Of a zip only the directory and the manifest are read.',
    )
    .argument('[path...]', 'folders and zips, or - for a zip on standard input');
  addReportFlags(tool).action(async (paths, _options, command: Command) => {
    const { runHostedTool } = await import('../../validate/hosted-tool.ts');
    await runHostedTool(runtime, command.optsWithGlobals(), paths);
  });
}
