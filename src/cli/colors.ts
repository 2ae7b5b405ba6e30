import picocolors from 'picocolors';

/** Colours for an output. */
export type Colors = ReturnType<typeof picocolors.createColors>;

/**
 * Colours if `enabled`; else every text is unchanged. The yellow of the 16 colours is unreadable on
 * white (1.1 to 1.7 : 1): with 256 colours, a shade is used that is readable on white and on black.
 */
export function colorsWith(enabled: boolean, has256 = false): Colors {
  const colors = picocolors.createColors(enabled);
  return enabled && has256 ? { ...colors, yellow: amber } : colors;
}

/** #af5f00: 4.7 : 1 on white, 4.5 : 1 on black. */
const amber = (text: string | number | null | undefined): string => `\x1b[38;5;130m${text}\x1b[39m`;

/** Whether a terminal supports 256 colours or more, by its variables. */
export function has256Colors(env: Readonly<Record<string, string | undefined>>): boolean {
  return /256|direct|kitty|alacritty|foot|ghostty/.test(env.TERM ?? '') || Boolean(env.COLORTERM);
}
