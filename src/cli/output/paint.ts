import picocolors from 'picocolors';

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

/** The meaning of a colour: failed or refused; doubt or a warning; recorded or live; secondary. */
export type Tone = 'bad' | 'doubt' | 'good' | 'dim';

export function paint(colors: Colors, tone: Tone | undefined, text: string): string {
  switch (tone) {
    case 'bad':
      return colors.red(text);
    case 'doubt':
      return colors.yellow(text);
    case 'good':
      return colors.green(text);
    case 'dim':
      return colors.dim(text);
    default:
      return text;
  }
}

/** A line that begins with a severity, which is coloured: `warning: …`. */
export function paintSeverity(colors: Colors, line: string): string {
  return line.replace(
    /^( *)(error|warning)(?=: )/,
    (_, indent: string, word: string) => indent + paint(colors, TONES[word], word),
  );
}

const TONES: Readonly<Record<string, Tone>> = {
  success: 'good',
  recorded: 'good',
  live: 'good',
  active: 'good',
  valid: 'good',
  ok: 'good',
  written: 'good',
  uploaded: 'good',
  downloaded: 'good',
  deleted: 'good',
  failed: 'bad',
  refused: 'bad',
  ended: 'bad',
  forbidden: 'bad',
  missing: 'bad',
  unreachable: 'bad',
  wrong: 'bad',
  error: 'bad',
  suspended: 'bad',
  'in doubt': 'doubt',
  stale: 'doubt',
  unprovisioned: 'doubt',
  warning: 'doubt',
  archived: 'doubt',
  'not sent': 'dim',
  'not done': 'dim',
  'not called': 'dim',
  unchanged: 'dim',
  skipped: 'dim',
  'skipped: would write': 'dim',
  'skipped: null': 'dim',
};

/** The colour of a state; `in_doubt` and `in-doubt` are the same. */
export function toneOf(word: string): Tone | undefined {
  const said = spoken(word);
  return Object.hasOwn(TONES, said) ? TONES[said] : undefined;
}

/** A state for people: `in_doubt` is `in doubt`. */
export function spoken(word: string): string {
  return word.replace(/[_-]/g, ' ');
}
