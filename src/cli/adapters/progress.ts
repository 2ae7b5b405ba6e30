import ora from 'ora';
import type { Progress } from '../runtime.ts';

/** Live lines on standard error, which is a terminal. */
export function createProgress(): Progress {
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
