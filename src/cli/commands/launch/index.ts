import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { group } from '../group.ts';
import { registerCheck } from './check.ts';
import { registerDecode } from './decode.ts';
import { registerList } from './list.ts';
import { registerRemove } from './rm.ts';
import { registerSave } from './save.ts';
import { registerShow } from './show.ts';
import { registerUse } from './use.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  const launch = group(program, 'launch', summary);
  registerDecode(launch, runtime);
  registerCheck(launch, runtime);
  registerSave(launch, runtime);
  registerList(launch, runtime);
  registerUse(launch, runtime);
  registerShow(launch, runtime);
  registerRemove(launch, runtime);
}
