import type { Colors } from '../colors.ts';

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
