import type { Context } from '../runtime.ts';
import { note, printJson, printText } from '../ui.ts';
import { control } from './control.ts';
import { openBrowser } from './open-browser.ts';
import { checkSave, saveAndPrint, saveIfNamed } from './save-and-print.ts';
import type { EmulatorLaunchOptions } from './flags.ts';

export async function runLaunch(context: Context<EmulatorLaunchOptions>): Promise<void> {
  const { options } = context;
  await checkSave(context);
  const { role, member, location, course, thirdParty, sign } = options;
  const launched = await control(context, 'POST launch', {
    ...(role === undefined && member === undefined ? { role: 'student' } : { role }),
    member,
    location,
    course,
    third_party: thirdParty,
    sign,
  });
  const { claims, tool, hosted, passed_over: other, course_page: page } = launched;
  if (sign !== undefined && hosted) {
    await note(
      context,
      `--sign changes nothing: tool ${tool} is hosted, and only an external one is sent a signed launch`,
    );
  }
  if (other !== null) {
    await note(context, `tool ${other.id} is ${other.status}: this is a launch of tool ${tool}`);
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

function wantsPage({ open, printUrl, thirdParty, sign }: EmulatorLaunchOptions): boolean {
  return printUrl === true || ((thirdParty === true || sign !== undefined) && !open);
}
