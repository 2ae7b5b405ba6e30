import type { Command } from 'commander';
import { validateLocations } from '../../../validator/locations.ts';
import type { Runtime } from '../../runtime.ts';
import { checkPayloads, PAYLOADS_ARGUMENT } from '../../validate/payloads.ts';
import { addReportFlags, type ReportOptions } from '../../validate/report.ts';

export function registerLocations(parent: Command, runtime: Runtime): void {
  const locations = parent
    .command('locations')
    .summary("a tool's answer to a locations request")
    .description(
      "Check a tool's answer to a locations request: its structure, what would be cut from its message, and how deep its groups are nested.",
    )
    .argument('[file...]', PAYLOADS_ARGUMENT);
  addReportFlags(locations).action(async (files, _options, command: Command) => {
    const options: ReportOptions = command.optsWithGlobals();
    await checkPayloads(runtime, options, 'locations', files, (bytes) => validateLocations(bytes));
  });
}
