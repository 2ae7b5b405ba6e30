import { ExitError } from '../errors.ts';
import type { CommandLine, GlobalOptions, Runtime } from '../runtime.ts';
import { type Hosted, hostEmulator } from './host.ts';
import { readSeed } from './seed-file.ts';

interface ExecOptions extends GlobalOptions {
  readonly seed?: string;
}

export async function runExec(
  runtime: Runtime,
  options: ExecOptions,
  command: CommandLine,
): Promise<void> {
  const seed = options.seed === undefined ? undefined : await readSeed(runtime, options.seed);
  const hosted = await hostEmulator(runtime, seed);
  try {
    const LECTERN_LAUNCH = await leaveLaunches(runtime, hosted);
    const processes = await runtime.processes();
    const exit = await processes.attach(command, { env: { ...hosted.env, LECTERN_LAUNCH } });
    if (exit !== 0) throw new ExitError(exit, 'exec.command');
  } finally {
    await hosted.close();
  }
}

/** Who is staff, the likeliest first. */
const STAFF = ['instructor', 'manager', 'assistant'];

/** Leaves a launch of staff and one of a student as files; returns the one to use, '' for none. */
async function leaveLaunches(runtime: Runtime, { served, folder }: Hosted): Promise<string> {
  const disk = await runtime.disk();
  const leave = async (name: string, roles: readonly string[]): Promise<string> => {
    const path = `${folder}/${name}.json`;
    for (const role of roles) {
      const claims = served.emulator.launch({ role });
      if (claims === undefined) continue;
      await disk.writeFile(path, JSON.stringify(claims), { secret: true });
      return path;
    }
    return '';
  };
  const student = await leave('student', ['student']);
  return (await leave('staff', STAFF)) || student;
}
