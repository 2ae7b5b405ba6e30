import type { Runtime } from '../runtime.ts';

/**
 * Prints a text that may be longer than the screen: on a terminal through `$LECTERN_PAGER`, else
 * `$PAGER`, else `less -FRX`. An empty one, a dumb terminal, or `isPaged` false prints it directly.
 */
export async function printLong(runtime: Runtime, text: string, isPaged: boolean): Promise<void> {
  const { stdout } = runtime;
  const isLong = text.trimEnd().includes('\n');
  const pager = isPaged && isLong && stdout.isTerminal ? pagerOf(runtime) : '';
  if (pager !== '' && (await (await runtime.processes()).page(pager, text))) return;
  await stdout.write(text);
}

/** Without less the text is printed directly, and the shell says nothing. */
const LESS = 'command -v less >/dev/null || exit 127; less -FRX';

function pagerOf({ env, platform }: Runtime): string {
  if (env.TERM === 'dumb') return '';
  // Windows has no less.
  return env.LECTERN_PAGER ?? env.PAGER ?? (platform === 'win32' ? '' : LESS);
}
