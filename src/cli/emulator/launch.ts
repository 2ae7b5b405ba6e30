import { checkName } from '../arguments/names.ts';
import type { GlobalOptions, Context } from '../runtime.ts';
import { note } from '../ui.ts';
import { control } from './control.ts';
import { saveAndPrint } from './save-and-print.ts';

interface LaunchOptions extends GlobalOptions {
  readonly role?: string;
  readonly member?: string;
  readonly location?: string;
  readonly course?: string;
  readonly save?: string;
}

export async function runLaunch(context: Context<LaunchOptions>): Promise<void> {
  const { options } = context;
  if (options.save !== undefined) checkName(options.save);
  const { role, member, location, course } = options;
  const {
    claims,
    tool,
    passed_over: other,
  } = await control(context, 'POST launch', {
    ...(role === undefined && member === undefined ? { role: 'student' } : { role }),
    member,
    location,
    course,
  });
  if (other !== null) {
    await note(context, `${other.id} is ${other.status}: this is a launch of ${tool}`);
  }
  await saveAndPrint(context, claims);
}
