import { EXIT } from '../exit-codes.ts';
import { type HostedEmulator, hostEmulator } from '../emulator/host.ts';
import { ExitError } from '../errors.ts';
import { InterruptedError } from '../../errors.ts';
import type { Runtime } from '../runtime.ts';
import { printText } from '../ui.ts';
import { type Step, TOUR } from './tour.ts';

/** Runs in a temporary home and environment, and leaves nothing behind. */
export async function runDemo(runtime: Runtime): Promise<void> {
  const hosted = await hostEmulator(runtime);
  try {
    for (const step of TOUR) {
      await runStep(runtime, hosted, step);
    }
  } finally {
    await hosted.close();
  }
  await printText(
    runtime,
    '\nEnd of the tour. To run an emulator of your own: lectern emulator start',
  );
}

async function runStep(
  runtime: Runtime,
  { folder, env }: HostedEmulator,
  step: Step,
): Promise<void> {
  const input = step.input === undefined ? '' : `echo '${step.input}' | `;
  const shown = step.args.map((arg) => (/[\s{}'"]/.test(arg) ? `'${arg}'` : arg)).join(' ');
  await printText(runtime, `\n# ${step.why}\n$ ${input}lectern ${shown}`);
  for (const [name, content] of Object.entries(step.files ?? {})) {
    await (await runtime.disk()).writeFile(`${folder}/${name}`, content);
  }
  const args = step.args.map((arg) => (step.files?.[arg] === undefined ? arg : `${folder}/${arg}`));
  const [node, entry] = runtime.self;
  const { exit, output } = await (
    await runtime.processes()
  ).capture([node, entry, ...args], {
    env,
    input: step.input ?? '',
  });
  if (runtime.interrupt.aborted) throw new InterruptedError('the tour was interrupted');
  // The commands have escaped what is not theirs; their tabs stay tabs.
  await runtime.stdout.write(`${shortened(output)}\n`);
  if (exit !== 0) await printText(runtime, `(exit ${exit})`);
  if (exit === step.exit) return;
  throw new ExitError(
    EXIT.unexpected,
    'demo.failed',
    `the demo failed: exit code ${exit}, expected ${step.exit}; please report this`,
  );
}

const MAX_LINES = 24;

/** What was printed, cut where it would drown the tour. */
function shortened(output: string): string {
  const lines = output.trimEnd().split('\n');
  if (lines.length <= MAX_LINES) return lines.join('\n');
  return [...lines.slice(0, MAX_LINES), `… and ${lines.length - MAX_LINES} more lines`].join('\n');
}
