import { join } from 'node:path';
import { UsageError } from '../../errors.ts';
import { programEnvironment } from '../../own-environment.ts';
import { ExitError } from '../errors.ts';
import type { CommandLine, Runtime, Context } from '../runtime.ts';
import { type HostedEmulator, hostEmulator } from './host.ts';
import { formatOf } from '../arguments/formats.ts';
import { failOn, giveReport, reportDocument } from './report.ts';
import { note } from '../output/notes.ts';
import { outputPlace } from '../shared/write-output.ts';
import {
  chaosOf,
  execOptions,
  restoreProjectTools,
  uploadProjectTools,
} from './project-options.ts';
import { runUnderSeeds } from './exec-seeds.ts';
import { seedsOf, variedNote, varyOf } from './vary.ts';
import type { Seed } from '../../emulator/index.ts';
import { readSeed } from '../input/document.ts';
import type { EmulatorExecOptions, EmulatorVaryOptions } from './flags.ts';

export async function runExec(
  given: Context<EmulatorExecOptions>,
  command: CommandLine,
): Promise<void> {
  const context = await execOptions(given);
  const { options } = context;
  checkOptions(options);
  const file = typeof options.report === 'string' ? options.report : undefined;
  // Before the command runs, since its report would be lost.
  if (file !== undefined) await outputPlace(context, file);
  const seed = options.seed === undefined ? undefined : await readSeed(context, options.seed);
  const run = <Judged>(vary: EmulatorVaryOptions, judge: Judge<Judged>): Promise<Judged> =>
    runBeside(context, command, seed, { chaos: chaosOf(options), vary: varyOf(vary) }, judge);
  const seeds = seedsOf(options);
  if (seeds !== undefined) {
    return runUnderSeeds(context, seeds, (vary) =>
      run({ vary }, async ({ served }, exit) => ({
        exit,
        report: reportDocument(await served.control('GET report')),
      })),
    );
  }
  await run(options, async ({ served }, exit) => {
    const report =
      options.report === undefined
        ? undefined
        : await giveReport(context, await served.control('GET report'), file);
    if (exit !== 0) throw new ExitError(exit, 'exec.command');
    if (report !== undefined) failOn(context, report, file);
  });
}

type Judge<Judged> = (hosted: HostedEmulator, exit: number) => Promise<Judged>;

/** Runs the command beside an emulator of its own, and judges how it ended before that ends. */
async function runBeside<Judged>(
  context: Context<EmulatorExecOptions>,
  command: CommandLine,
  seed: Seed | undefined,
  trouble: Parameters<typeof hostEmulator>[2],
  judge: Judge<Judged>,
): Promise<Judged> {
  const onReset = (): Promise<void> => restoreProjectTools(context, hosted.served);
  const hosted = await hostEmulator(context, seed, { ...trouble, onReset });
  try {
    const { vary } = hosted.served.emulator.state;
    if (vary !== undefined) await note(context, variedNote(vary.seed));
    await uploadProjectTools(context, hosted.served);
    const own = { home: hosted.folder, url: hosted.served.url };
    const LECTERN_LAUNCH = await writeLaunches(context, hosted);
    // What runs in it can name a launch of a service, so it must not lose the policy.
    const policy = context.policy.value === 'read' && { LECTERN_POLICY: 'read' };
    const env = { ...programEnvironment(context.env, own), ...policy, LECTERN_LAUNCH };
    return await judge(hosted, await (await context.processes()).attach(command, env));
  } finally {
    await hosted.close();
  }
}

function checkOptions(options: EmulatorExecOptions): void {
  const { report, format, failOn: severity } = options;
  formatOf(options);
  if (seedsOf(options) !== undefined && (typeof report === 'string' || format !== undefined)) {
    const flag = format === undefined ? '--report FILE' : '--format';
    throw new UsageError(
      `${flag} is for one seed`,
      'with a range, --vary 1..10, a table is printed',
    );
  }
  if (report === undefined && (format !== undefined || severity !== undefined)) {
    const flag = format === undefined ? '--fail-on' : '--format';
    throw new UsageError(`${flag} belongs to --report`, 'add --report, or --report FILE');
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
    const path = join(folder, `${name}.json`);
    for (const role of roles) {
      const claims = served.emulator.launch({ role, keyed: true });
      if (claims === undefined) continue;
      await disk.writeFile(path, JSON.stringify(claims), { secret: true });
      return path;
    }
    return '';
  };
  const student = await leave('student', ['student']);
  return (await leave('staff', STAFF)) || student;
}
