import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { group } from '../group.ts';
import { registerDownload } from './download.ts';
import { registerLs } from './ls.ts';
import { registerRm } from './rm.ts';
import { registerStat } from './stat.ts';
import { registerSync } from './sync.ts';
import { registerUpload } from './upload.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  const files = group(program, 'files', summary);
  registerLs(files, runtime);
  registerStat(files, runtime);
  registerUpload(files, runtime);
  registerDownload(files, runtime);
  registerRm(files, runtime);
  registerSync(files, runtime);
}
