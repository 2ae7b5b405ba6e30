import type { FileResult } from '../json-forms/files.ts';
import { type Transfer, transferProgressText, resultTable } from '../output/files.ts';
import { tabSeparated } from '../output/table.ts';
import { countText } from '../output/units.ts';
import { type ErrorReport, errorReportText } from '../report.ts';
import type { Runtime, Context } from '../runtime.ts';
import { printTable } from '../ui.ts';

/** A file of a batch, and its result. */
export interface ShownResult extends FileResult {
  readonly error: ErrorReport | null;
}

/** The display of a running batch, for a terminal or a pipe. */
export interface Display {
  /** Some bytes of a file were transferred. */
  readonly onProgress: (key: string, bytes: number, size: number) => void;
  readonly onResult: (result: ShownResult) => Promise<void>;
  readonly finish: () => Promise<void>;
}

/**
 * On a terminal live lines, and a table at the end; in a pipe a line for each finished file.
 * Failures are reported at once on standard error, except of a single file: its error ends the
 * command.
 */
export async function createDisplay(
  context: Context,
  whole: { readonly files: number; readonly size: number; readonly isSilent: boolean },
): Promise<Display> {
  const { options } = context;
  const progress = await context.progress(!options.quiet);
  const lines = liveLines(context, whole);
  const results: ShownResult[] = [];
  const isReported = ({ error }: ShownResult): boolean => error === null || whole.files > 1;
  progress.follow(lines.render);
  return {
    onProgress: lines.onProgress,
    onResult: async (result) => {
      lines.onResult(result);
      results.push(result);
      if (options.json || !isReported(result)) return;
      const { stdout, stderr } = context;
      if (result.error !== null && result.outcome !== 'not_done' && !context.interrupt.aborted) {
        const { error, key } = result;
        progress.stop();
        await stderr.write(
          errorReportText(
            { ...error, message: `${key}: ${error.message}` },
            { colors: stderr.colors },
          ),
        );
        progress.follow(lines.render);
      }
      if (stdout.isTerminal || whole.isSilent) return;
      await stdout.write(tabSeparated(resultTable([result])));
    },
    finish: async () => {
      progress.stop();
      const reported = results.filter(isReported);
      if (reported.length === 0 || options.json || whole.isSilent) return;
      if (context.stdout.isTerminal) await printTable(context, resultTable(reported));
    },
  };
}

/** The whole batch, and below it the files in progress. */
function liveLines(runtime: Runtime, whole: { readonly files: number; readonly size: number }) {
  const started = runtime.monotonic();
  const active = new Map<string, { moved: number; size: number; started: number }>();
  let ended = 0;
  let endedBytes = 0;
  return {
    render: (): string => {
      const now = runtime.monotonic();
      const files = [...active].map(([name, file]): Transfer => {
        return { name, moved: file.moved, size: file.size, elapsedMs: now - file.started };
      });
      const moved = files.reduce((sum, file) => sum + file.moved, endedBytes);
      const known = files.reduce((sum, file) => sum + file.size, endedBytes);
      const name = `${ended} of ${countText(whole.files, 'file')}`;
      const size = Math.max(whole.size, known);
      const all = { name, moved, size, elapsedMs: now - started };
      return transferProgressText(all, files, runtime.stderr.columns);
    },
    onProgress: (key: string, bytes: number, size: number): void => {
      const since = active.get(key)?.started ?? runtime.monotonic();
      active.set(key, { moved: bytes, size, started: since });
    },
    onResult: ({ key, size }: FileResult): void => {
      if (active.delete(key)) endedBytes += size ?? 0;
      ended += 1;
    },
  };
}
