import {
  addressesOf,
  type Claims,
  claimsFromText,
  type Launch,
  launchOrigin,
  readLaunch,
} from '../../contract/index.ts';
import type { Payload } from '../../validator/body.ts';
import { serviceOrigin } from '../arguments/addresses.ts';
import { mailTexts } from '../../contract/mail.ts';
import { readInput, tooLarge } from '../input/read.ts';
import { MAX_LAUNCH_BYTES } from '../sizes.ts';
import type { Prompts, Runtime } from '../runtime.ts';
import { canPrompt } from '../ask.ts';

/** The text with a launch: from a file, standard input, or a question. */
export async function readLaunchInput(
  runtime: Runtime,
  file: string | undefined,
): Promise<Payload> {
  if (file === undefined && canPrompt(runtime)) return askLaunch(await runtime.prompts());
  const { source, bytes } = await readInput(runtime, file, 'the launch', MAX_MAIL_BYTES);
  if (bytes.length <= MAX_LAUNCH_BYTES) return bytes;
  // Of a mail with attachments, the texts.
  const texts = mailTexts(new TextDecoder().decode(bytes)).join('\n');
  if (texts !== '' && Buffer.byteLength(texts) <= MAX_LAUNCH_BYTES) return texts;
  throw tooLarge(source, MAX_LAUNCH_BYTES);
}

/** The maximum size of a saved mail, with its attachments. */
const MAX_MAIL_BYTES = 64 * 1024 ** 2;

/** Asks for a launch, which contains a token, so that the paste is not echoed. */
function askLaunch(prompts: Prompts): Promise<string> {
  return prompts.paste(
    'Paste the launch (claims as JSON, a token, a URL, a form body or base64) and press Enter, or Ctrl-D to end it. Input is hidden.',
    isWhole,
  );
}

/** Complete with a launch, or with text that cannot belong to one. Ctrl-D ends an incomplete paste. */
function isWhole(text: string): boolean {
  if (!('fault' in claimsFromText(text))) return true;
  const trimmed = text.trim();
  if (!/^["[>]|[{“„”]|eyJ/.test(trimmed)) return trimmed !== '';
  try {
    JSON.parse(trimmed);
    return true;
  } catch {
    return false;
  }
}

/** Asks for the token and the service if the launch lacks them, since no call can be made without. */
export async function promptForMissing(
  prompts: Prompts,
  claims: Claims,
): Promise<{ claims: Claims; origin: string | undefined }> {
  const launch = readLaunch(claims);
  const question = 'api.token is missing. Token (hidden; Enter to skip):';
  const token = launch.token ?? (await prompts.secret(question));
  const whole = token === '' ? claims : withToken(claims, token);
  return { claims: whole, origin: await originFor(prompts, launch) };
}

export function withToken(claims: Claims, token: string): Claims {
  const api = typeof claims.api === 'object' ? claims.api : {};
  return { ...claims, api: { ...api, token } };
}

async function originFor(prompts: Prompts, launch: Launch): Promise<string | undefined> {
  if (launchOrigin(launch) !== undefined || addressesOf(launch).length === 0) return undefined;
  const typed = await prompts.text('iss is missing. Base URL of the service (https://…):');
  return serviceOrigin(typed);
}
