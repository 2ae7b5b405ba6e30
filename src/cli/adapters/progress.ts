import ora from 'ora';
import type { Progress } from '../runtime.ts';
import type { Host } from './host.ts';

const REDRAW_MS = 100;

/** Live lines on standard error, which is a terminal; none while it says that it has no columns. */
export function createProgress({ stderr }: Host): Progress {
  // ora colours whatever NO_COLOR says, so it is given nothing to colour.
  const spinner = ora({ stream: stderr, color: false as never, discardStdin: false });
  let redraw: NodeJS.Timeout | undefined;
  // In no columns ora's lines are infinitely many, and it would clear them for ever.
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
    follow: (render) => {
      clearInterval(redraw);
      redraw = setInterval(() => update(render()), REDRAW_MS);
    },
    stop: () => {
      clearInterval(redraw);
      spinner.stop();
    },
  };
}
