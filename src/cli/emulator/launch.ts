import type { Context } from '../runtime.ts';
import { note } from '../output/notes.ts';
import { printJson, printText, printJsonText } from '../output/print.ts';
import { control } from './control.ts';
import { openBrowser } from './open.ts';
import type {
  EmulatorLaunchOptions,
  EmulatorProvisionRequestOptions,
  EmulatorSaveClaimsOptions,
} from './flags.ts';
import type { Claims } from '../../contract/index.ts';
import { refuseTaken } from '../arguments/names.ts';
import { saveLaunch } from '../launch/save.ts';

export async function runLaunch(context: Context<EmulatorLaunchOptions>): Promise<void> {
  const { options } = context;
  await checkSave(context);
  const { role, member, location, course, thirdParty, sign, devUrl } = options;
  const whose = role === undefined && member === undefined ? { role: 'student' } : { role };
  const asked = { ...whose, member, location, course, sign };
  if (options.token) {
    const { launch_token: token, claims } = await control(context, 'POST launch/token', asked);
    await saveIfNamed(context, claims);
    if (options.json) await printJson(context, { launch_token: token });
    else await printText(context, token);
    return;
  }
  // With the key that `emulator key` prints; a browser rather shows a hosted tool.
  const keyed = !options.open && !wantsPage(options);
  const shown = { third_party: thirdParty, dev_url: devUrl, keyed };
  const launched = await control(context, 'POST launch', { ...asked, ...shown });
  const { claims, tool, hosted, passed_over: other, course_page: page } = launched;
  if (sign !== undefined && hosted) {
    await note(
      context,
      `--sign changes nothing: tool ${tool} is hosted, and only an external one is sent a signed launch`,
    );
  }
  if (other !== null) {
    const why = other.status === 'active' ? 'hosted, without an API key' : other.status;
    await note(context, `tool ${other.id} is ${why}: this is a launch of tool ${tool}`);
  }
  if (wantsPage(options)) {
    await saveIfNamed(context, claims);
    if (options.json) await printJson(context, { course_page: page });
    else await printText(context, page);
  } else await saveAndPrint(context, claims);
  if (options.open) {
    await note(context, `course page: ${page}`);
    await openBrowser(context, page);
  }
}

function wantsPage(options: EmulatorLaunchOptions): boolean {
  const { open, printUrl, thirdParty, sign, devUrl } = options;
  const isOfPage = thirdParty === true || sign !== undefined || devUrl !== undefined;
  return printUrl === true || (isOfPage && !open);
}

export async function runProvisionRequest(
  context: Context<EmulatorProvisionRequestOptions>,
): Promise<void> {
  const { course, from, location } = context.options;
  await checkSave(context);
  const requested = await control(context, 'POST provision-request', { course, from, location });
  const { claims, sent, not_sent: why } = requested;
  for (const call of sent) {
    const came = call.error ?? `answered ${call.status}`;
    await note(context, `sent to tool ${call.tool}: ${came} (location ${call.location})`);
  }
  if (why !== null) await note(context, `nothing was sent: ${why}`);
  await saveAndPrint(context, claims);
}

/** Refuses an invalid or taken name before anything is minted. */
async function checkSave(context: Context<EmulatorSaveClaimsOptions>): Promise<void> {
  const { save, force } = context.options;
  if (save !== undefined) await refuseTaken(await context.launches(), 'launch', save, force);
}

/** Prints new claims, and saves them if a name is given: an emulator's token is not secret. */
async function saveAndPrint(
  context: Context<EmulatorSaveClaimsOptions>,
  claims: Claims,
): Promise<void> {
  await saveIfNamed(context, claims);
  await printJsonText(context, JSON.stringify(claims, null, context.options.json ? 0 : 2));
}

async function saveIfNamed(
  context: Context<EmulatorSaveClaimsOptions>,
  claims: Claims,
): Promise<void> {
  const { save: name, force } = context.options;
  if (name === undefined) return;
  const { notes } = await saveLaunch(context, { name, claims }, force);
  for (const text of notes) await note(context, text);
}
