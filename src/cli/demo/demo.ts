import { sleepUnlessAborted } from '../../clock.ts';
import { EXIT } from '../exit-codes.ts';
import { type HostedEmulator, hostEmulator } from '../emulator/host.ts';
import { ExitError } from '../errors.ts';
import { InterruptedError, UsageError } from '../../errors.ts';
import { ownEnvironment } from '../../own-environment.ts';
import type { Context, Runtime } from '../runtime.ts';
import { pause, canPrompt } from '../ask.ts';
import { printText, refuseJson } from '../output/print.ts';
import { FILES, type Step, TOUR } from './tour.ts';

/** On a terminal: time to read the command, and then its output. */
const READING_MS = 700;
const LOOKING_MS = 1500;

/** Runs in a temporary home and environment, and leaves nothing behind. */
export async function runDemo(runtime: Context<{ readonly step?: boolean }>): Promise<void> {
  const { step: steps = false } = runtime.options;
  refuseJson(runtime, 'lectern demo');
  if (steps && !canPrompt(runtime)) throw new UsageError('--step needs a terminal');
  const wait = async (): Promise<unknown> =>
    steps
      ? (await runtime.prompts()).text('Enter for the next command, Ctrl-C to end')
      : pauseForReader(runtime, LOOKING_MS);
  const { EXAMPLE_SEED } = await import('../../emulator/index.ts');
  const hosted = await hostEmulator(runtime, EXAMPLE_SEED);
  try {
    const disk = await runtime.disk();
    for (const [name, content] of Object.entries(FILES)) {
      await disk.writeFile(`${hosted.folder}/${name}`, content);
    }
    for (const step of TOUR) {
      await runStep(runtime, hosted, step);
      await wait();
    }
  } finally {
    await hosted.close();
  }
  await printText(
    runtime,
    '\nEnd of the tour. To run an emulator of your own: lectern emulator start',
  );
}

async function runStep(runtime: Runtime, hosted: HostedEmulator, step: Step): Promise<void> {
  const { stdout } = runtime;
  const { colors } = stdout;
  const line = `$ lectern ${step.line}${step.isSilent ? ' > launch.json' : ''}`;
  await stdout.write(`\n${colors.dim(`# ${step.why}`)}\n${colors.bold(line)}\n`);
  await pauseForReader(runtime, READING_MS);
  const exit = await runCommand(runtime, hosted, step);
  if (runtime.interrupt.aborted) throw new InterruptedError('the tour was interrupted');
  if (exit !== 0) await stdout.write(`${colors.dim(`(exit ${exit})`)}\n`);
  const { exit: expected = EXIT.done } = step;
  if (exit === expected) return;
  const message = `the demo failed: exit code ${exit}, expected ${expected}; please report this`;
  throw new ExitError(EXIT.unexpected, 'demo.failed', message);
}

/** A pause for a reader; none in a pipe. */
async function pauseForReader(runtime: Runtime, ms: number): Promise<void> {
  if (runtime.stdout.isTerminal) await pause(runtime, ms);
}

async function runCommand(runtime: Runtime, hosted: HostedEmulator, step: Step): Promise<number> {
  const { stdout } = runtime;
  const ended = new AbortController();
  const pressed = new AbortController();
  const interrupt = AbortSignal.any([runtime.interrupt, pressed.signal]);
  const pressing = pressAfter(runtime, hosted, step.interruptAfter, pressed, ended.signal);
  const shown = new ShownLines(step.lines ?? Number.POSITIVE_INFINITY);
  // Commands escape their output; in a pipe the notes are printed where a terminal would show them.
  const words = step.line.match(/'[^']*'|\S+/g) ?? [];
  const args = words.map((word) => word.replaceAll("'", ''));
  const exit = await runtime.runHere(args, {
    env: ownEnvironment(runtime.env, { home: hosted.folder, url: hosted.served.url }),
    folder: hosted.folder,
    interrupt,
    shown: (text, stream) => (stream === 'stdout' && step.isSilent ? '' : shown.take(text)),
  });
  ended.abort();
  await pressing;
  if (shown.left > 0) await stdout.write(`… and ${shown.left} more lines\n`);
  return exit;
}

const LOOK_AGAIN_MS = 20;

/** Presses Ctrl-C after the emulator has recorded some more attempts. */
async function pressAfter(
  runtime: Runtime,
  { served }: HostedEmulator,
  grades: number | undefined,
  pressed: AbortController,
  ended: AbortSignal,
): Promise<void> {
  if (grades === undefined) return;
  const recorded = (): number => served.emulator.state.attempts.count();
  const enough = recorded() + grades;
  while (!ended.aborted && recorded() < enough) {
    await sleepUnlessAborted(runtime, LOOK_AGAIN_MS, ended);
  }
  if (ended.aborted) return;
  if (runtime.stdout.isTerminal) await runtime.stdout.write('^C');
  pressed.abort();
}

/** The first lines of a command's output. */
class ShownLines {
  #most: number;
  left = 0;

  constructor(most: number) {
    this.#most = most;
  }

  take(text: string): string {
    const lines = text.split(/(?<=\n)/);
    const shown = lines.slice(0, this.#most);
    this.#most -= shown.length;
    this.left += lines.length - shown.length;
    return shown.join('');
  }
}
