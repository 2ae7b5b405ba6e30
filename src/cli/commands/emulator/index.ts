import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { group } from '../group.ts';
import { registerClock } from './clock.ts';
import { registerExec } from './exec.ts';
import { registerExport } from './export.ts';
import { registerFault } from './fault.ts';
import { registerFixture } from './fixture.ts';
import { registerImport } from './import.ts';
import { registerLaunch } from './launch.ts';
import { registerLms } from './lms.ts';
import { registerMember } from './member.ts';
import { registerProvisionRequest } from './provision-request.ts';
import { registerRequests } from './requests.ts';
import { registerReset } from './reset.ts';
import { registerStart } from './start.ts';
import { registerState } from './state.ts';
import { registerToken } from './token.ts';
import { registerTool } from './tool.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  const emulator = group(program, 'emulator', summary);
  registerStart(emulator, runtime);
  registerLaunch(emulator, runtime);
  registerProvisionRequest(emulator, runtime);
  registerFixture(emulator, runtime);
  registerState(emulator, runtime);
  registerLms(emulator, runtime);
  registerToken(emulator, runtime);
  registerTool(emulator, runtime);
  registerMember(emulator, runtime);
  registerClock(emulator, runtime);
  registerFault(emulator, runtime);
  registerRequests(emulator, runtime);
  registerExec(emulator, runtime);
  registerReset(emulator, runtime);
  registerExport(emulator, runtime);
  registerImport(emulator, runtime);
}
