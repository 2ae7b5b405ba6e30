import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { group } from '../group.ts';
import { registerLog } from './log.ts';
import { registerReport } from './report.ts';
import { registerResume } from './resume.ts';
import { registerRuns } from './runs.ts';
import { registerSubmit } from './submit.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  const grade = group(program, 'grade', summary);
  registerSubmit(grade, runtime);
  registerResume(grade, runtime);
  registerRuns(grade, runtime);
  registerReport(grade, runtime);
  registerLog(grade, runtime);
}
