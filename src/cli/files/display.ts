import { type FileResult, type Transfer, progressText, resultTable } from '../output/files.ts';
import { tabSeparated } from '../output/table.ts';
import { countText } from '../output/units.ts';
import { type Report, reportText } from '../report.ts';
import type { Runtime, Context } from '../runtime.ts';
import { printTable } from '../ui.ts';

/** One file of a batch, and how it ended. */
export interface ShownResult extends FileResult {
  readonly error: Report | null;
}

/** What a person or a pipe sees of a batch while it runs. */
export interface Display {
  /** A file is on its way, and has come so far. */
  readonly moved: (key: string, bytes: number, size: number) => void;
  readonly settled: (result: ShownResult) => Promise<void>;
  readonly finish: () => Promise<void>;
}

/**
 * On a terminal live lines, and the table at the end; in a pipe a line for each file as it ends.
 * What failed is told at once on standard error, but for a single file, whose error ends the command.
 */
export async function createDisplay(
  context: Context,
  whole: { readonly files: number; readonly size: number; readonly isSilent: boolean },
): Promise<Display> {
  const { options } = context;
  const progress = await context.progress(!options.quiet);
  const lines = liveLines(context, whole);
  const results: ShownResult[] = [];
  const isTold = ({ error }: ShownResult): boolean => error === null || whole.files > 1;
  progress.follow(lines.render);
  return {
    moved: lines.moved,
    settled: async (result) => {
      lines.settled(result);
      results.push(result);
      if (options.json || !isTold(result)) return;
      const { stdout, stderr } = context;
      if (result.error !== null && result.outcome !== 'not_done' && !context.interrupt.aborted) {
        const { error, key } = result;
        progress.stop();
        await stderr.write(
          reportText({ ...error, message: `${key}: ${error.message}` }, { colors: stderr.colors }),
        );
        progress.follow(lines.render);
      }
      if (stdout.isTerminal || whole.isSilent) return;
      await stdout.write(tabSeparated(resultTable([result])));
    },
    finish: async () => {
      progress.stop();
      const told = results.filter(isTold);
      if (told.length === 0 || options.json || whole.isSilent) return;
      if (context.stdout.isTerminal) await printTable(context, resultTable(told));
    },
  };
}

/** The whole batch, and under it what is on its way. */
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
      return progressText(all, files, runtime.stderr.columns);
    },
    moved: (key: string, bytes: number, size: number): void => {
      const since = active.get(key)?.started ?? runtime.monotonic();
      active.set(key, { moved: bytes, size, started: since });
    },
    settled: ({ key, size }: FileResult): void => {
      if (active.delete(key)) endedBytes += size ?? 0;
      ended += 1;
    },
  };
}
