import type { Context, Runtime } from '../runtime.ts';
import { FILE_RESULTS, type FileResult, type Transfer, transferProgressText } from './files.ts';
import { progressOf } from './notes.ts';
import { isPlainPipe, printErrors, printTable } from './print.ts';
import { tableOf } from './columns.ts';
import { countText } from './units.ts';

/**
 * On a terminal live lines, and a table at the end; in a pipe a line for each finished file.
 * Failures are reported at once on standard error, except of a single file: its error ends the
 * command.
 */
export async function createDisplay(
  context: Context,
  whole: { readonly files: number; readonly size: number; readonly isSilent: boolean },
) {
  const { options, stdout } = context;
  const progress = await progressOf(context);
  const lines = liveLines(context, whole);
  const results: FileResult[] = [];
  const isReported = ({ error }: FileResult): boolean => error === null || whole.files > 1;
  progress.follow(lines.render);
  return {
    onProgress: lines.onProgress,
    onResult: async (result: FileResult, showsError: boolean): Promise<void> => {
      lines.onResult(result);
      results.push(result);
      if (!isReported(result)) return;
      const { error, key } = result;
      if (error !== null && showsError && !context.interrupt.aborted) {
        progress.stop();
        await printErrors(context, [{ ...error, message: `${key}: ${error.message}` }]);
        progress.follow(lines.render);
      }
      if (isPlainPipe(context) && !whole.isSilent)
        await printTable(context, tableOf(FILE_RESULTS, [result], 0));
    },
    finish: async (): Promise<void> => {
      progress.stop();
      const reported = results.filter(isReported);
      if (reported.length === 0 || options.json || whole.isSilent) return;
      if (stdout.isTerminal) await printTable(context, tableOf(FILE_RESULTS, reported, 0));
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
