import type { Colors } from './colors.ts';

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
