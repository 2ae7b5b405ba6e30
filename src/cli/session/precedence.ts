import { UsageError } from '../../errors.ts';
import type { GlobalOptions } from '../arguments/global-flags.ts';
import { QUOTED, UNQUOTE } from '../arguments/secrets.ts';
import type { ProjectSettings } from '../project-settings.ts';
import type { Context } from '../runtime.ts';
import type { CallPart, SettingValues } from '../stores.ts';

/** Where a choice is looked for: the first of these that is given is used. */
interface Order {
  readonly flag?: keyof GlobalOptions;
  readonly variable?: string;
  /** The variable holds the secret itself, whose form is checked where it is used. */
  readonly isSecret?: true;
  readonly project?: keyof ProjectSettings;
  readonly saved?: keyof SettingValues;
  /** Further variables that go before what is saved. */
  readonly others?: readonly string[];
  /** The order in words, for help. */
  readonly words: string;
}

/** What a call is made of, in the order of precedence. `help credentials` prints it. */
export const PRECEDENCE: Readonly<Record<CallPart, Order>> = {
  launch: {
    flag: 'launch',
    variable: 'LECTERN_LAUNCH',
    project: 'launch',
    saved: 'currentLaunch',
    others: ['LECTERN_TOKEN'],
    words: '--launch, LECTERN_LAUNCH, lectern.json, launch use',
  },
  token: {
    variable: 'LECTERN_TOKEN',
    isSecret: true,
    words: 'LECTERN_TOKEN, api.token of the launch',
  },
  key: {
    flag: 'apiKey',
    variable: 'LECTERN_API_KEY',
    isSecret: true,
    saved: 'currentKey',
    others: ['LECTERN_LAUNCH', 'LECTERN_TOKEN'],
    words: '--api-key, LECTERN_API_KEY, key use unless a launch is given; grades only',
  },
  url: { flag: 'url', words: '--url, ROW if it is a URL, the claim of the launch' },
  ledger: {
    flag: 'ledger',
    variable: 'LECTERN_LEDGER',
    project: 'ledger',
    saved: 'currentLedger',
    words: '--ledger, LECTERN_LEDGER, lectern.json, ledger use, the one of this machine',
  },
  emulator: {
    flag: 'emulator',
    variable: 'LECTERN_EMULATOR',
    words: '--emulator, LECTERN_EMULATOR, the last one started',
  },
  policy: { words: 'the stricter one of LECTERN_POLICY and lectern.json' },
};

/** A choice, and what made it. */
export interface Choice {
  readonly value: string;
  readonly from: 'flag' | 'variable' | 'project' | 'saved';
}

/**
 * Finds the first value that is given; undefined for none. `sources` of the context gets the
 * variable or the project file that gave it, for the errors of the command.
 */
export async function choose(context: Context, what: CallPart): Promise<Choice | undefined> {
  const { project, saved } = PRECEDENCE[what];
  const first = given(context, what);
  if (first !== undefined) return first;
  const ofProject = project && context.project?.settings[project];
  if (typeof ofProject === 'string') {
    context.sources[what] = context.project?.file;
    return { value: ofProject, from: 'project' };
  }
  const current = saved && (await context.settings()).get(saved);
  return typeof current === 'string' ? { value: current, from: 'saved' } : undefined;
}

/** The same of the flag and the environment alone: no settings are read. */
export function given(context: Context, what: CallPart): Choice | undefined {
  const { flag, variable, isSecret } = PRECEDENCE[what];
  const typed = flag && context.options[flag];
  if (typeof typed === 'string') return { value: typed, from: 'flag' };
  const value = variable && context.env[variable];
  if (!value) return undefined;
  if (!isSecret && QUOTED.test(value)) {
    throw new UsageError(`the value of ${variable} has quotes around it`, UNQUOTE);
  }
  context.sources[what] = variable;
  return { value, from: 'variable' };
}

/** Whether a flag or the environment gives it; it need not be used. */
export function isGiven({ options, env }: Context, what: CallPart): boolean {
  const { flag, variable = '' } = PRECEDENCE[what];
  return (flag !== undefined && options[flag] !== undefined) || Boolean(env[variable]);
}

/** What takes precedence over a choice that was just saved. */
export function precedenceNotes({ env, project }: Context, what: CallPart): string[] {
  const { variable = '', others = [], project: setting } = PRECEDENCE[what];
  const set = [variable, ...others].filter((each) => env[each]);
  const isOfProject = setting !== undefined && project?.settings[setting];
  return [
    ...set.map((each) => `${each} is set and takes precedence: unset ${each} to use the saved one`),
    ...(isOfProject
      ? [`${project.file} names another ${setting}, which takes precedence here`]
      : []),
  ];
}
