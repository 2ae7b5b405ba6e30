import type { Command } from 'commander';
import { group } from '../../group.ts';
import type { Runtime } from '../../runtime.ts';

export function register(program: Command, _runtime: Runtime): void {
  group(program, 'demo', 'demo');
}
