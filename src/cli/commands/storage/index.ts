import type { Command } from 'commander';
import { group } from '../../group.ts';
import type { Runtime } from '../../runtime.ts';
import { registerGet } from './get.ts';

export function register(program: Command, runtime: Runtime): void {
  const storage = group(program, 'storage', 'read, replace and patch the JSON rows');
  registerGet(storage, runtime);
}
