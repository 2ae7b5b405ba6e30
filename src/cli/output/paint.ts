import picocolors from 'picocolors';
import type { Output } from '../runtime.ts';

export type Colors = Output['colors'];

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

/** The meaning of a colour: failed or refused; doubt or a warning; recorded or live; secondary. */
export type Tone = 'bad' | 'doubt' | 'good' | 'dim';

export function paint(colors: Colors, tone: Tone | undefined, text: string): string {
  return tone === undefined ? text : colors[COLORS[tone]](text);
}

const COLORS = { bad: 'red', doubt: 'yellow', good: 'green', dim: 'dim' } as const;

/** A line that begins with a severity, which is coloured: `warning: …`. */
export function paintSeverity(colors: Colors, line: string): string {
  return line.replace(
    /^( *)(error|warning)(?=: )/,
    (_, indent: string, word: string) => indent + paint(colors, TONES.get(word), word),
  );
}

/** The states of each colour. */
const STATES_BY_TONE: Readonly<Record<Tone, string>> = {
  good: 'success|recorded|live|active|valid|ok|written|uploaded|downloaded|deleted',
  bad: 'failed|refused|ended|forbidden|missing|unreachable|wrong|error|suspended',
  doubt: 'in doubt|stale|unprovisioned|warning|archived',
  dim: 'not sent|not done|not called|unchanged|skipped|skipped: would write|skipped: null',
};
const TONES: ReadonlyMap<string, Tone> = new Map(
  (Object.keys(STATES_BY_TONE) as Tone[]).flatMap((tone) =>
    STATES_BY_TONE[tone].split('|').map((state) => [state, tone] as const),
  ),
);

/** The colour of a state; `in_doubt` and `in-doubt` are the same. */
export function toneOf(word: string): Tone | undefined {
  return TONES.get(stateText(word));
}

/** A state for people: `in_doubt` is `in doubt`. */
export function stateText(word: string): string {
  return word.replace(/[_-]/g, ' ');
}
