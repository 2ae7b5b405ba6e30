import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { group } from '../group.ts';

const ACTIONS = {
  suspend: 'suspend it: its tokens end, its API key is refused',
  activate: 'make it active again; tokens that ended stay ended',
  archive: 'archive it, which ends its tokens as suspending does',
  'replace-code': 'replace its code under the courses, which ends its tokens',
} as const;

export function registerTool(parent: Command, runtime: Runtime): void {
  const tool = group(parent, 'tool', 'what the dashboard does to a tool');
  for (const [action, summary] of Object.entries(ACTIONS)) {
    tool
      .command(action)
      .summary(summary)
      .description(`A tool of the emulator: ${summary}.`)
      .argument('[id]', 'the tool; else the first, which launches are of unless told otherwise')
      .action(async (id, _options, command: Command) => {
        const { runTool } = await import('../../emulator/tool.ts');
        await runTool(runtime, command.optsWithGlobals(), { action, tool: id });
      });
  }
}
