import type { Command } from 'commander';
import { group } from '../../group.ts';
import type { Runtime } from '../../runtime.ts';
import { registerLaunch } from './launch.ts';
import { registerStart } from './start.ts';

export function register(program: Command, runtime: Runtime): void {
  const emulator = group(program, 'emulator', 'the whole service on loopback');
  registerStart(emulator, runtime);
  registerLaunch(emulator, runtime);
}
