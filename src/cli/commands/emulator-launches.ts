import { Option, type Command } from 'commander';
import type { Runtime } from '../runtime.ts';
import { verb } from './group.ts';

/** The commands that make claims: launches and requests to a tool. */
export function registerLaunches(emulator: Command, runtime: Runtime): void {
  registerLaunch(emulator, runtime);
  registerProvisionRequest(emulator, runtime);
  registerLocationsRequest(emulator, runtime);
  registerFixture(emulator, runtime);
}

const SIGNATURES = ['RS256', 'HS256', 'plain', 'expired', 'wrong-key', 'altered'];

function registerLaunch(parent: Command, runtime: Runtime): void {
  parent
    .command('launch')
    .summary('create a launch of the tool')
    .description('Create a launch and print its claims; --save also saves it by name.')
    .addOption(
      new Option(
        '--role <role>',
        'role of the user; a member given with --member must have it',
      ).choices(['student', 'assistant', 'instructor', 'manager']),
    )
    .option('--member <id>', 'launch as this member')
    .option('--location <id>', 'launch in this location')
    .option('--course <id>', 'launch in this course')
    .option('--save <name>', 'save the launch under this name')
    .option('--force', 'replace the launch that has the name')
    .option('--open', 'show its course page in a browser')
    .option('--print-url', 'print the address of its course page instead of the claims')
    .option('--third-party', 'show the tool there from another site, as a real LMS does')
    .addOption(
      new Option(
        '--sign <how>',
        'how the launch of an external tool is signed there, the last three wrong; else RS256',
      ).choices(SIGNATURES),
    )
    .action(
      verb(runtime, async (context) => {
        const { runLaunch } = await import('../emulator/launch.ts');
        await runLaunch(context);
      }),
    );
}

function registerProvisionRequest(parent: Command, runtime: Runtime): void {
  parent
    .command('provision-request')
    .summary('create a provision request')
    .description(
      'Create a provision request and print its claims; --save also saves it by name. Returns the same request until the level is provisioned or 3 hours have passed.',
    )
    .option('--course <id>', 'the course (default: one that is not provisioned yet)')
    .option('--from <course>', 'a copy of this course; creates the copy if there is none')
    .option('--location <id>', 'for this location (default: one that is not provisioned yet)')
    .option('--save <name>', 'save the request under this name')
    .option('--force', 'replace an existing launch of that name')
    .action(
      verb(runtime, async (context) => {
        const { runProvisionRequest } = await import('../emulator/provision-request.ts');
        await runProvisionRequest(context);
      }),
    );
}

function registerLocationsRequest(parent: Command, runtime: Runtime): void {
  parent
    .command('locations-request')
    .summary('send a locations request to a tool')
    .description(
      'Send a locations request to a tool with a locations_url in the seed, and print what the service takes of its answer, and what is wrong with it (exit 3 where it is rejected).',
    )
    .option('--tool <id>', 'the tool; else the first with a locations_url')
    .option('--course <id>', 'for this course; else the first in which the tool is placed')
    .action(
      verb(runtime, async (context) => {
        const { runLocationsRequest } = await import('../emulator/locations-request.ts');
        await runLocationsRequest(context);
      }),
    );
}

function registerFixture(parent: Command, runtime: Runtime): void {
  parent
    .command('fixture')
    .summary('create launches of every kind for conformance tests')
    .description(
      'Create launches of every kind, each call in new courses and with new tools, and print them as one JSON object, with the HTTP requests that control the emulator.',
    )
    .action(
      verb(runtime, async (context) => {
        const { runFixture } = await import('../emulator/actions.ts');
        await runFixture(context);
      }),
    );
}
