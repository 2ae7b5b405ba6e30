import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { group } from '../group.ts';
import { registerCopy } from './copy.ts';
import { registerDiff } from './diff.ts';
import { registerEdit } from './edit.ts';
import { registerGet } from './get.ts';
import { registerHistory } from './history.ts';
import { registerPatch } from './patch.ts';
import { registerPut } from './put.ts';
import { registerSize } from './size.ts';
import { registerUndo } from './undo.ts';
import { registerWatch } from './watch.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  const storage = group(program, 'storage', summary);
  registerGet(storage, runtime);
  registerPut(storage, runtime);
  registerPatch(storage, runtime);
  registerEdit(storage, runtime);
  registerDiff(storage, runtime);
  registerSize(storage, runtime);
  registerCopy(storage, runtime);
  registerHistory(storage, runtime);
  registerUndo(storage, runtime);
  registerWatch(storage, runtime);
}
