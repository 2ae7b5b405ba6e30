import ora from 'ora';
import type { Progress } from '../runtime.ts';

/** One live line on standard error; silent where it is not wanted or there is no terminal. */
export function createProgress(enabled: boolean): Progress {
  if (!enabled || !process.stderr.isTTY) return { update: () => {}, stop: () => {} };
  // ora colours whatever NO_COLOR says, so it is given nothing to colour.
  const spinner = ora({ stream: process.stderr, color: false as never, discardStdin: false });
  return {
    update: (text) => {
      if (spinner.isSpinning) spinner.text = text;
      else spinner.start(text);
    },
    stop: () => void spinner.stop(),
  };
}
