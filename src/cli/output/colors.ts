import picocolors from 'picocolors';

/** Text in colour, or as it is. */
export type Colors = ReturnType<typeof picocolors.createColors>;

/** Colours where `enabled`; else every text stays as it is. */
export function colorsWith(enabled: boolean): Colors {
  return picocolors.createColors(enabled);
}
