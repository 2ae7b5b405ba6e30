import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { addReportFlags, PAYLOADS_ARGUMENT } from './flags.ts';

export function registerLocations(parent: Command, runtime: Runtime): void {
  const locations = parent
    .command('locations')
    .summary("a tool's answer to a locations request")
    .description(
      "Check a tool's answer to a locations request: its structure, what would be cut from its message, and how deep its groups are nested.",
    )
    .argument('[file...]', PAYLOADS_ARGUMENT);
  addReportFlags(locations).action(async (files, _options, command: Command) => {
    const { runLocations } = await import('../../validate/locations.ts');
    await runLocations(runtime, command.optsWithGlobals(), files);
  });
}
