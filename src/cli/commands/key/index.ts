import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { group } from '../group.ts';
import { registerList } from './list.ts';
import { registerRemove } from './rm.ts';
import { registerSave } from './save.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  const key = group(program, 'key', summary);
  registerSave(key, runtime);
  registerList(key, runtime);
  registerRemove(key, runtime);
}
