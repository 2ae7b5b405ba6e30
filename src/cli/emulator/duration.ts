const SECONDS = { d: 86_400, h: 3600, m: 60, s: 1 } as const;

const DURATION =
  /^(?:(\d+(?:\.\d+)?)d)?(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s)?$/;

/** Reads a duration such as `90s`, `12h` or `1h30m`, in seconds; undefined for anything else. */
export function durationSeconds(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (match === null || text === '') return undefined;
  const [, d = 0, h = 0, m = 0, s = 0] = match;
  return Number(d) * SECONDS.d + Number(h) * SECONDS.h + Number(m) * SECONDS.m + Number(s);
}
