import { checkName } from '../arguments/names.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { note } from '../ui.ts';
import { control } from './control.ts';
import { keepAndPrint } from './minted.ts';

interface LaunchOptions extends GlobalOptions {
  readonly role?: string;
  readonly member?: string;
  readonly location?: string;
  readonly course?: string;
  readonly save?: string;
}

export async function runLaunch(runtime: Runtime, options: LaunchOptions): Promise<void> {
  if (options.save !== undefined) checkName(options.save);
  const { role, member, location, course } = options;
  const {
    claims,
    tool,
    passed_over: other,
  } = await control(runtime, options, 'POST launch', {
    ...(role === undefined && member === undefined ? { role: 'student' } : { role }),
    member,
    location,
    course,
  });
  if (other !== null) {
    await note(runtime, options, `${other.id} is ${other.status}: this is a launch of ${tool}`);
  }
  await keepAndPrint(runtime, options, claims);
}
