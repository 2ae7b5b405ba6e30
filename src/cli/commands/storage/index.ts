import type { Command } from 'commander';
import { group } from '../../group.ts';
import type { Runtime } from '../../runtime.ts';
import { registerGet } from './get.ts';
import { registerPatch } from './patch.ts';
import { registerPut } from './put.ts';

export function register(program: Command, runtime: Runtime): void {
  const storage = group(program, 'storage', 'read, replace and patch the JSON rows');
  registerGet(storage, runtime);
  registerPut(storage, runtime);
  registerPatch(storage, runtime);
}
