import picocolors from 'picocolors';

/** Text in colour, or as it is. */
export type Colors = ReturnType<typeof picocolors.createColors>;

/** Colours where they are wanted: on a terminal that has them, unless NO_COLOR or `--no-color` says otherwise. */
export function colorsFor(
  isTerminal: boolean,
  env: Readonly<Record<string, string | undefined>>,
  options: { readonly color?: boolean },
): Colors {
  const wanted = options.color !== false && !env.NO_COLOR && env.TERM !== 'dumb';
  return picocolors.createColors(isTerminal && wanted);
}
