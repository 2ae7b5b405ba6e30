import type { Called, Context } from '../runtime.ts';
import type { Answers } from '../../emulator/index.ts';
import { RawJson, type Result } from '../output/result.ts';
import { control } from './control.ts';
import { openBrowser } from './open.ts';
import type {
  EmulatorLaunchOptions,
  PROVISION_REQUEST_FLAGS,
  EmulatorSaveClaimsOptions,
} from './flags.ts';
import type { Claims } from '../../contract/index.ts';
import { refuseTaken } from '../arguments/names.ts';
import { saveLaunch } from '../launch/save.ts';

export async function* runLaunch(context: Context<EmulatorLaunchOptions>): AsyncGenerator<Result> {
  const { options } = context;
  await checkSave(context);
  const { role, member, location, course, thirdParty, sign, devUrl } = options;
  const asked = { role, member, location, course, sign };
  if (options.token) {
    const { launch_token, claims } = await control(context, 'POST launch/token', asked);
    const notes = await saveIfNamed(context, claims);
    yield { json: { launch_token }, show: launch_token, notes };
    return;
  }
  // With the key that `emulator key` prints; a browser rather shows a hosted tool.
  const keyed = !options.open && !wantsPage(options);
  const shown = { third_party: thirdParty, dev_url: devUrl, keyed };
  const launched = await control(context, 'POST launch', { ...asked, ...shown });
  const { claims, course_page } = launched;
  const notes = [...notesOn(launched, sign), ...(await saveIfNamed(context, claims))];
  if (wantsPage(options)) yield { json: { course_page }, show: course_page, notes };
  else yield { ...claimsResult(claims), notes };
  if (!options.open) return;
  yield { notes: [`course page: ${course_page}`] };
  yield { notes: [await openBrowser(context, course_page)] };
}

function* notesOn(
  { tool, hosted, passed_over: other }: Answers['POST launch'],
  sign: string | undefined,
): Generator<string> {
  if (sign !== undefined && hosted) {
    yield `--sign changes nothing: tool ${tool} is hosted, and only an external one is sent a signed launch`;
  }
  if (other === null) return;
  const why = other.status === 'active' ? 'hosted, without an API key' : other.status;
  yield `tool ${other.id} is ${why}: this is a launch of tool ${tool}`;
}

function wantsPage(options: EmulatorLaunchOptions): boolean {
  const { open, printUrl, thirdParty, sign, devUrl } = options;
  const isOfPage = thirdParty === true || sign !== undefined || devUrl !== undefined;
  return printUrl === true || (isOfPage && !open);
}

export async function runProvisionRequest(
  context: Called<typeof PROVISION_REQUEST_FLAGS>,
): Promise<Result> {
  const { course, from, location } = context.options;
  await checkSave(context);
  const requested = await control(context, 'POST provision-request', { course, from, location });
  const { claims, sent, not_sent: why } = requested;
  const notes = sent.map(({ tool, error, status, location: where }) => {
    return `sent to tool ${tool}: ${error ?? `answered ${status}`} (location ${where})`;
  });
  if (why !== null) notes.push(`nothing was sent: ${why}`);
  return { ...claimsResult(claims), notes: [...notes, ...(await saveIfNamed(context, claims))] };
}

/** Refuses an invalid or taken name before anything is minted. */
async function checkSave(context: Context<EmulatorSaveClaimsOptions>): Promise<void> {
  const { save, force } = context.options;
  if (save !== undefined) await refuseTaken(await context.launches(), 'launch', save, force);
}

/** An emulator's token is not secret. */
function claimsResult(claims: Claims): Result {
  return { json: claims, show: { json: new RawJson(JSON.stringify(claims, null, 2)) } };
}

async function saveIfNamed(
  context: Context<EmulatorSaveClaimsOptions>,
  claims: Claims,
): Promise<readonly string[]> {
  const { save: name, force } = context.options;
  return name === undefined ? [] : (await saveLaunch(context, { name, claims }, force)).notes;
}
