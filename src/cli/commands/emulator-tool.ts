import type { Taken } from '../../emulator/index.ts';
import { wholeNumber } from '../arguments/numbers.ts';
import * as flags from '../emulator/flags.ts';
import { defineCommand, sentence, type CommandDeclaration } from '../declare/define.ts';
import { CONTROL_EXITS } from './exits.ts';

const ID = { name: '[id]', help: 'the tool; else the first' } as const;

type ToolAction = Extract<Taken['POST tool'], { action: unknown }>['action'];

function toolStatus(action: ToolAction, summary: string, id: string): CommandDeclaration {
  return defineCommand({
    name: action,
    summary,
    description: sentence(summary),
    args: [{ name: '[id]', help: 'the tool ID (default: the first tool)' }],
    examples: [`lectern emulator tool ${action} ${id}`],
    exits: CONTROL_EXITS,
    load: async () => {
      const { runTool } = await import('../emulator/tool.ts');
      return (context, tool) => runTool(context, { action, tool });
    },
  });
}

function toolVersion(action: ToolAction, summary: string, version: number): CommandDeclaration {
  return defineCommand({
    name: action,
    summary,
    description: sentence(summary),
    args: [{ name: '<version>', help: 'its number', parse: wholeNumber({ from: 1 }) }, ID],
    examples: [`lectern emulator tool ${action} ${version} polls`],
    exits: CONTROL_EXITS,
    load: async () => {
      const { runTool } = await import('../emulator/tool.ts');
      return (context, given, tool) => runTool(context, { action, tool, version: given });
    },
  });
}

export const tool: CommandDeclaration = {
  name: 'tool',
  summary: 'change the status of a tool, as the dashboard does',
  commands: [
    toolStatus('suspend', 'suspend a tool: its tokens end and its API key is rejected', 'polls'),
    toolStatus('activate', 'activate a tool; tokens that have ended stay ended', 'polls'),
    toolStatus('archive', 'archive a tool: its tokens end and its API key is rejected', 'polls'),
    toolStatus('replace-code', 'replace the code of a tool, which ends its tokens', 'sketch'),
    defineCommand({
      name: 'upload',
      summary: 'upload the code of a hosted tool',
      description:
        'Check the code of a hosted tool by the contract and upload it as a new version. A private version is current at once, which ends the launch tokens of the courses that run it; an unlisted or public one once it is approved. Code that is refused (exit 3) changes nothing.',
      args: [{ name: '<path>', help: 'a zip, or the folder of the tool' }],
      flags: flags.TOOL_UPLOAD_FLAGS,
      examples: [
        'lectern emulator tool upload tool',
        'lectern emulator tool upload tool --tool sketch --visibility public',
      ],
      exits: [...CONTROL_EXITS, 3],
      load: async () => (await import('../emulator/tool-upload.ts')).runToolUpload,
    }),
    defineCommand({
      name: 'publish',
      summary: 'publish a version: a new one without code, or an existing one',
      description:
        'Publish a version of a tool. A private version is current at once; an unlisted or public one is sent for review, and current once it is approved.',
      args: [ID],
      flags: flags.PUBLISH_FLAGS,
      examples: [
        'lectern emulator tool publish polls --visibility public',
        'lectern emulator tool publish polls --version-number 1',
      ],
      exits: CONTROL_EXITS,
      load: async () => (await import('../emulator/tool.ts')).runPublish,
    }),
    toolVersion('approve', 'approve a version that is in review, which makes it current', 2),
    toolVersion('deprecate', 'deprecate a version: courses that run it are offered an upgrade', 1),
    toolVersion('pilot', 'let the sharing code "pilot" name a version', 2),
    defineCommand({
      name: 'adopt',
      summary: 'let a course run the version that a sharing code names',
      description: 'Let a course run the version of a tool that a sharing code names.',
      args: [{ name: '<code>', help: 'current, pilot, or the number of a version' }],
      flags: flags.ADOPT_FLAGS,
      examples: ['lectern emulator tool adopt pilot --course biology-101 --tool polls'],
      exits: CONTROL_EXITS,
      load: async () => (await import('../emulator/tool.ts')).runAdopt,
    }),
  ],
};
