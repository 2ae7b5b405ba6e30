import type { Context } from '../runtime.ts';
import { note } from '../ui.ts';
import { control } from './control.ts';
import { checkSave, saveAndPrint, type SaveOptions } from './save-and-print.ts';

interface LaunchOptions extends SaveOptions {
  readonly role?: string;
  readonly member?: string;
  readonly location?: string;
  readonly course?: string;
}

export async function runLaunch(context: Context<LaunchOptions>): Promise<void> {
  const { options } = context;
  await checkSave(context);
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
