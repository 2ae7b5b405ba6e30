const SECONDS: readonly (readonly [unit: string, seconds: number])[] = [
  ['d', 86_400],
  ['h', 3600],
  ['m(?:in)?', 60],
  ['s', 1],
];

const DURATION = new RegExp(
  `^${SECONDS.map(([unit]) => String.raw`(?:(\d+(?:\.\d+)?) ?${unit})?`).join('')}$`,
);

/** Reads a duration such as `90s`, `15m`, `15min` or `1h30m`, in seconds; undefined for anything else. */
export function durationSeconds(text: string): number | undefined {
  const match = DURATION.exec(text.trim());
  if (match === null || match[0] === '') return undefined;
  return SECONDS.reduce(
    (sum, [, seconds], index) => sum + Number(match[index + 1] ?? 0) * seconds,
    0,
  );
}
