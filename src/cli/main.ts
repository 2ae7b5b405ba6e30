import { EXIT } from '../contract/errors.ts';
import { createRuntime } from './adapters/runtime.ts';
import { buildProgram } from './program.ts';
import { reportJson, reportOf, reportText } from './report.ts';
import type { Runtime } from './runtime.ts';

/** Runs one command line. Resolves with the exit code, and throws nothing. */
export async function main(argv: readonly string[]): Promise<number> {
  const runtime = createRuntime();
  try {
    const program = await buildProgram(argv, runtime);
    await program.parseAsync(argv, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    return await tell(error, argv, runtime);
  } finally {
    await runtime.close();
  }
}

/** The only place that turns an error into words and an exit code. */
async function tell(error: unknown, argv: readonly string[], runtime: Runtime): Promise<number> {
  const report = reportOf(error);
  if (report === undefined) return tellBug(error, runtime);
  if (report.exit !== EXIT.done && report.message !== '') {
    const json = wantsJson(argv);
    await runtime.stderr.write(json ? reportJson(report) : reportText(report));
  }
  return report.exit;
}

/** The command line may be what is wrong, so the flag is looked for in the words themselves. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? argv.length : end).includes('--json');
}

async function tellBug(error: unknown, runtime: Runtime): Promise<number> {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  await runtime.stderr.write(
    `lectern: something unexpected happened; this is a bug. Please report it with this text:\n${detail}\n`,
  );
  return EXIT.unexpected;
}
