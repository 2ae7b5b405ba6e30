import type { Command } from 'commander';
import { group } from '../../group.ts';
import type { Runtime } from '../../runtime.ts';
import { registerSubmit } from './submit.ts';

export function register(program: Command, runtime: Runtime): void {
  const grade = group(program, 'grade', 'submit grades; every attempt is kept');
  registerSubmit(grade, runtime);
}
