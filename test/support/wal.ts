/** A frame of the log is a header of 24 bytes and a page; the log has a header too. */
const FRAME = 24 + 4096;
const HEADER = 32;
/** `npm run nightly` tries every frame. */
const MOST = process.env.LECTERN_HOSTILE === 'long' ? Infinity : 6;

/** The lengths that the write-ahead log of a SQLite database may have after a kill: some of them, with the first and the last. */
export function walCuts(log: Uint8Array): number[] {
  const frames = Math.ceil((log.length - HEADER) / FRAME);
  const cuts = Math.min(frames, MOST);
  const at = (cut: number): number => Math.round((cut * (frames - 1)) / Math.max(1, cuts - 1));
  return Array.from({ length: cuts }, (_, cut) => HEADER + at(cut) * FRAME);
}
