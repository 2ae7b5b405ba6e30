import { ExitError } from '../errors.ts';
import type { CommandLine, GlobalOptions, Runtime, Context } from '../runtime.ts';
import { type HostedEmulator, hostEmulator } from './host.ts';
import { readSeed } from './seed-file.ts';

interface ExecOptions extends GlobalOptions {
  readonly seed?: string;
}

export async function runExec(context: Context<ExecOptions>, command: CommandLine): Promise<void> {
  const { options } = context;
  const seed = options.seed === undefined ? undefined : await readSeed(context, options.seed);
  const hosted = await hostEmulator(context, seed);
  try {
    const LECTERN_LAUNCH = await writeLaunches(context, hosted);
    const processes = await context.processes();
    const exit = await processes.attach(command, { env: { ...hosted.env, LECTERN_LAUNCH } });
    if (exit !== 0) throw new ExitError(exit, 'exec.command');
  } finally {
    await hosted.close();
  }
}

/** The roles of staff, the preferred one first. */
const STAFF = ['instructor', 'manager', 'assistant'];

/** Writes a staff launch and a student launch to files; returns the path of the one to use, or ''. */
async function writeLaunches(
  runtime: Runtime,
  { served, folder }: HostedEmulator,
): Promise<string> {
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
