import type { Taken } from '../../emulator/index.ts';
import type { LimitOptions } from '../arguments/numbers.ts';
import { UsageError } from '../../errors.ts';
import { CredentialError } from '../errors.ts';
import { lmsTable, stateTables } from '../output/emulator.ts';
import { type Context, withOptions } from '../runtime.ts';
import { launchNamed } from '../session/launch.ts';
import { note, printJson, printTable, printText, noteMore, shownLimit } from '../ui.ts';
import { control } from './control.ts';
import { findEmulators } from './record.ts';
import type {
  EmulatorLmsOptions,
  EmulatorRefuseOptions,
  EmulatorTokenEndOptions,
} from './flags.ts';

/*
 * The commands that make one control request and print its response.
 */

export async function runClock(context: Context, move?: Taken['POST clock']): Promise<void> {
  const shown = await (move === undefined
    ? control(context, 'GET clock')
    : control(context, 'POST clock', move));
  if (context.options.json) await printJson(context, shown);
  else await printText(context, shown.iso);
}

export async function runState(context: Context<LimitOptions>): Promise<void> {
  const state = await control(context, 'GET state');
  if (context.options.json) {
    await printJson(context, state);
    return;
  }
  const tables = stateTables(state);
  for (const [index, table] of tables.entries()) {
    if (index > 0 && context.stdout.isTerminal) await context.stdout.write('\n');
    await printTable(context, { ...table, rows: table.rows.slice(-shownLimit(context)) });
    await noteMore(context, table.rows.length);
  }
}

export async function runLms(
  context: Context<EmulatorLmsOptions>,
  change: Taken['POST lms'],
): Promise<void> {
  const { options } = context;
  const { location } = options;
  const shown = await control(context, 'POST lms', { ...change, location });
  if (options.json) await printJson(context, shown);
  else await printTable(context, lmsTable(shown.lms));
}

/** `lms refuse`: the status and body of the LMS's refusals, and the scores that they apply to. */
export function runLmsRefuse(context: Context<EmulatorRefuseOptions>): Promise<void> {
  const { status, body, member: members, percent, times } = context.options;
  return runLms(context, { refuse: { status, body, members, percent, times } });
}

export async function runTokenEnd(
  context: Context<EmulatorTokenEndOptions>,
  name: string | undefined,
): Promise<void> {
  const { options } = context;
  const { launchId } = options;
  if ((name === undefined) === (launchId === undefined)) {
    throw new UsageError('name one launch', 'give a saved launch or a file, or --launch-id ID');
  }
  if (launchId !== undefined) {
    await printEnded(context, await control(context, 'POST token/end', { launch_id: launchId }));
  } else await endSaved(context, name ?? '');
}

async function printEnded(context: Context, done: { ended: number }): Promise<void> {
  if (context.options.json) await printJson(context, done);
  await note(context, done.ended === 0 ? 'the token had already ended' : 'the token has ended');
}

async function endSaved(context: Context, name: string): Promise<void> {
  const { options } = context;
  const { launch, origin } = await launchNamed(context, name);
  const { token } = launch;
  if (token === undefined) throw new CredentialError(`launch ${name} has no api.token`);
  const issuer = (await findEmulators(context)).find(
    ({ url, record }) => (record?.public_url ?? url) === origin,
  );
  if (issuer === undefined) {
    throw new CredentialError(
      `launch ${name} is not from this emulator but from ${origin ?? 'an unknown service'}`,
      'its token is only sent to its own service; select its emulator with --emulator URL',
    );
  }
  const atIssuer = withOptions(context, { ...options, emulator: issuer.url });
  await printEnded(context, await control(atIssuer, 'POST token/end', { token }));
}

export async function runMemberRemove(context: Context, member: string): Promise<void> {
  const done = await control(context, 'POST member/remove', { member });
  if (context.options.json) await printJson(context, done);
  await note(context, `removed ${member}; tokens ended: ${done.ended}`);
}

export async function runReset(context: Context): Promise<void> {
  const done = await control(context, 'POST reset');
  if (context.options.json) await printJson(context, done);
  await note(context, 'the emulator was reset; saved launches have ended');
}

export async function runFixture(context: Context): Promise<void> {
  await printJson(context, await control(context, 'POST fixture'));
}
