import ora from 'ora';
import type { Host } from './host.ts';

const REDRAW_MS = 100;

/** Live lines on standard error, which is a terminal; none while it reports no columns. */
export function createProgress({ stderr }: Host) {
  // ora ignores NO_COLOR, so its own colours are off.
  const spinner = ora({ stream: stderr, color: false as never, discardStdin: false });
  let redraw: NodeJS.Timeout | undefined;
  // With 0 columns ora would clear an infinite number of lines.
  const hasRoom = (): boolean => (stderr.columns ?? 0) > 0;
  stderr.on('resize', () => {
    if (!hasRoom()) spinner.stop();
  });
  const update = (text: string): void => {
    if (!hasRoom()) return;
    if (spinner.isSpinning) spinner.text = text;
    else spinner.start(text);
  };
  return {
    update,
    /** Redraws a few times a second, until it is stopped. */
    follow: (render: () => string): void => {
      clearInterval(redraw);
      redraw = setInterval(() => update(render()), REDRAW_MS);
    },
    stop: (): void => {
      clearInterval(redraw);
      spinner.stop();
    },
  };
}

export type Progress = ReturnType<typeof createProgress>;
