import type { Taken } from '../../emulator/index.ts';
import { number } from '../arguments/numbers.ts';
import * as flags from '../emulator/flags.ts';
import { type ArgumentSpec, defineCommand, type CommandDeclaration } from '../declare/define.ts';
import { CONTROL_EXITS } from './exits.ts';

const lmsDescription = (summary: string): string =>
  `Set the LMS so that it ${summary}. Lasts until changed, or reset with lms ok.`;

/** A command that sets one field of the LMS to its argument. */
function lmsField<Field extends keyof Taken['POST lms']>(
  field: Field,
  name: string,
  summary: string,
  argument: ArgumentSpec,
  example: string,
): CommandDeclaration {
  return defineCommand({
    name,
    summary,
    description: lmsDescription(summary),
    args: [argument],
    flags: flags.LMS_FLAGS,
    examples: [`lectern emulator lms ${example}`],
    exits: CONTROL_EXITS,
    load: async () => {
      const { runLms } = await import('../emulator/actions.ts');
      return (context, value: unknown) => runLms(context, { [field]: value });
    },
  });
}

const ACCEPTS = 'accepts every score (the default)';
const REJECTS = 'rejects scores: all, or those selected by options';

export const lms: CommandDeclaration = {
  name: 'lms',
  summary: 'set the behavior of the LMS, for all locations or one',
  commands: [
    defineCommand({
      name: 'ok',
      summary: ACCEPTS,
      description: lmsDescription(ACCEPTS),
      flags: flags.LMS_FLAGS,
      examples: ['lectern emulator lms ok'],
      exits: CONTROL_EXITS,
      load: async () => {
        const { runLms } = await import('../emulator/actions.ts');
        return (context) => runLms(context, { ok: true });
      },
    }),
    defineCommand({
      name: 'refuse',
      summary: REJECTS,
      description: lmsDescription(REJECTS),
      flags: flags.REFUSE_FLAGS,
      examples: ['lectern emulator lms refuse --status 422 --body "closed"'],
      exits: CONTROL_EXITS,
      load: async () => (await import('../emulator/actions.ts')).runLmsRefuse,
    }),
    lmsField(
      'scope',
      'scope',
      'grants only the score scope, or the line item scope too',
      { name: '<scope>', choices: ['score', 'lineitem'] },
      'scope lineitem',
    ),
    lmsField(
      'column',
      'column',
      'has or lacks a gradebook column',
      { name: '<column>', choices: ['present', 'missing'] },
      'column present',
    ),
    lmsField(
      'points',
      'points',
      'has this many points possible in the column',
      { name: '<points>', help: 'such as 50', parse: number({ above: 0 }) },
      'points 50',
    ),
    lmsField(
      'slow_ms',
      'slow',
      'responds slowly',
      { name: '<ms>', help: 'milliseconds; 0 for no delay', parse: number({ from: 0 }) },
      'slow 0',
    ),
  ],
};
