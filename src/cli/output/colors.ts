import picocolors from 'picocolors';

/** Text in colour, or as it is. */
export type Colors = ReturnType<typeof picocolors.createColors>;

/**
 * Colours where `enabled`; else every text stays as it is. The yellow of the 16 colours cannot be read
 * on white (1.1 to 1.7 : 1): where there are 256, it is one that can be read on white and on black.
 */
export function colorsWith(enabled: boolean, has256 = false): Colors {
  const colors = picocolors.createColors(enabled);
  return enabled && has256 ? { ...colors, yellow: amber } : colors;
}

/** #af5f00: 4.7 : 1 on white, 4.5 : 1 on black. */
const amber = (text: string | number | null | undefined): string => `\x1b[38;5;130m${text}\x1b[39m`;

/** Whether a terminal says that it has 256 colours or more. */
export function has256Colors(env: Readonly<Record<string, string | undefined>>): boolean {
  return /256|direct|kitty|alacritty|foot|ghostty/.test(env.TERM ?? '') || Boolean(env.COLORTERM);
}
