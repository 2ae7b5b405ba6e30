import { Option, type Command } from 'commander';
import { wholeNumber } from '../arguments/numbers.ts';
import type { Runtime } from '../runtime.ts';
import { group, verb } from './group.ts';

const ACTIONS = {
  suspend: 'suspend a tool: its tokens end and its API key is rejected',
  activate: 'activate a tool; tokens that have ended stay ended',
  archive: 'archive a tool: its tokens end and its API key is rejected',
  'replace-code': 'replace the code of a tool, which ends its tokens',
} as const;

export function registerTool(parent: Command, runtime: Runtime): void {
  const tool = group(parent, 'tool', 'change the status of a tool, as the dashboard does');
  for (const action of keysOf(ACTIONS)) {
    const summary = ACTIONS[action];
    tool
      .command(action)
      .summary(summary)
      .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
      .argument('[id]', 'the tool ID (default: the first tool)')
      .action(
        verb(runtime, async (context, id) => {
          const { runTool } = await import('../emulator/tool.ts');
          await runTool(context, { action, tool: id });
        }),
      );
  }
  registerUpload(tool, runtime);
  registerVersions(tool, runtime);
}

const VISIBILITIES = ['private', 'unlisted', 'public'];

function registerUpload(tool: Command, runtime: Runtime): void {
  tool
    .command('upload')
    .summary('upload the code of a hosted tool')
    .description(
      'Check the code of a hosted tool by the contract and upload it as a new version. A private version is current at once, which ends the launch tokens of the courses that run it; an unlisted or public one once it is approved. Code that is refused (exit 3) changes nothing.',
    )
    .argument('<path>', 'a zip, or the folder of the tool')
    .option('--tool <id>', 'the tool; else the first hosted one')
    .addOption(
      new Option('--visibility <word>', 'of the new version; else private').choices(VISIBILITIES),
    )
    .option('--version-only', 'leave the current version as it is')
    .option('--watch', 'upload the folder again whenever a file in it changes, until Ctrl-C')
    .action(
      verb(runtime, async (context, path) => {
        const { runToolUpload } = await import('../emulator/tool-upload.ts');
        await runToolUpload(context, path);
      }),
    );
}

const VERSION_ACTIONS = {
  approve: 'approve a version that is in review, which makes it current',
  deprecate: 'deprecate a version: courses that run it are offered an upgrade',
  pilot: 'let the sharing code "pilot" name a version',
} as const;

function registerVersions(tool: Command, runtime: Runtime): void {
  tool
    .command('publish')
    .summary('publish a version: a new one without code, or one that is there')
    .description(
      'Publish a version of a tool. A private version is current at once; an unlisted or public one is sent for review, and current once it is approved.',
    )
    .argument('[id]', 'the tool; else the first')
    .addOption(
      new Option('--visibility <word>', 'who may add it').choices(VISIBILITIES).default('private'),
    )
    .option(
      '--version-number <number>',
      'a version that is there already',
      wholeNumber({ from: 1 }),
    )
    .action(
      verb(runtime, async (context, id) => {
        const { runPublish } = await import('../emulator/tool.ts');
        await runPublish(context, id);
      }),
    );
  for (const action of keysOf(VERSION_ACTIONS)) {
    const summary = VERSION_ACTIONS[action];
    tool
      .command(action)
      .summary(summary)
      .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
      .argument('<version>', 'its number', wholeNumber({ from: 1 }))
      .argument('[id]', 'the tool; else the first')
      .action(
        verb(runtime, async (context, version, id) => {
          const { runTool } = await import('../emulator/tool.ts');
          await runTool(context, { action, tool: id, version });
        }),
      );
  }
  tool
    .command('adopt')
    .summary('let a course run the version that a sharing code names')
    .description('Let a course run the version of a tool that a sharing code names.')
    .argument('<code>', 'current, pilot, or the number of a version')
    .requiredOption('--course <id>', 'the course')
    .requiredOption('--tool <id>', 'the tool')
    .action(
      verb(runtime, async (context, code) => {
        const { runAdopt } = await import('../emulator/tool.ts');
        await runAdopt(context, code);
      }),
    );
}

function keysOf<Key extends string>(table: Readonly<Record<Key, string>>): readonly Key[] {
  return Object.keys(table) as Key[];
}
