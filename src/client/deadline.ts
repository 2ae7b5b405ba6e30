import { TransportError } from './transport.ts';

/** Fewer bytes of a file than that are no transfer: 1 KB/s. */
const SLOWEST_BYTES_PER_MS = 1;
/** Times and sizes are noted so often within a deadline. */
const NOTES = 8;
/** So long may a transport take to say that it has been cancelled. */
const GRACE_MS = 1000;

/** What a deadline goes by. */
export interface DeadlineSettings {
  /** Milliseconds since some moment, however the clock is set: durations are told by it. */
  readonly monotonic: () => number;
  /** Acts after that many milliseconds, unless the function that it returns is called before. */
  readonly setTimer: (ms: number, act: () => void) => () => void;
  /**
   * One deadline for the whole call, from the first byte out to the last byte in. The bytes of a file
   * may take longer, as long as 1 KB/s of them moves over that time.
   */
  readonly timeoutMs: number;
  /** Aborts every call, as an interrupt does. */
  readonly signal?: AbortSignal;
  /** What ends the calls under way, for whoever hears that signal: one listener, however many calls. */
  readonly cancels: Set<() => void>;
}

/** The end of a call that takes too long. */
export interface Deadline {
  /** Cancels an exchange when the time is up, or when all is interrupted. */
  readonly watch: (cancel: () => void) => void;
  /** Bytes of a file came or went. */
  readonly moved: (bytes: number) => void;
  readonly movedBytes: () => number;
  /** Work on the exchange, which ends even where the transport does not say that it was cancelled. */
  readonly held: <Value>(work: Promise<Value>) => Promise<Value>;
  readonly passed: () => boolean;
  readonly clear: () => void;
}

/**
 * Starts the one deadline of a call, from the first byte out to the last byte in: it ends when over
 * `timeoutMs` fewer bytes of a file moved than 1 KB/s. That is the whole call where none is moved, and
 * a file may be as large as it is.
 */
export function startDeadline(settings: DeadlineSettings): Deadline {
  const { signal, cancels, timeoutMs, monotonic, setTimer } = settings;
  const transfer = watchTransfer(timeoutMs, monotonic);
  let passed = false;
  let cancel = (): void => {};
  let giveUp: (error: Error) => void = () => {};
  let stop = (): void => {};
  const end = (): void => {
    cancel();
    stop();
    stop = setTimer(GRACE_MS, () => giveUp(new TransportError('the request did not end', true)));
  };
  const check = (): void => {
    if (transfer.isAlive()) {
      stop = setTimer(timeoutMs / NOTES, check);
      return;
    }
    passed = true;
    end();
  };
  cancels.add(end);
  stop = setTimer(timeoutMs, check);
  return {
    watch: (act) => {
      cancel = act;
      if (signal?.aborted) end();
    },
    moved: transfer.moved,
    movedBytes: transfer.movedBytes,
    held: (work) =>
      new Promise((resolve, reject) => {
        giveUp = reject;
        work.then(resolve, reject);
      }),
    passed: () => passed,
    clear: () => {
      stop();
      cancels.delete(end);
    },
  };
}

/** Whether enough moves over the last `spanMs`. */
function watchTransfer(spanMs: number, monotonic: () => number) {
  let total = 0;
  let lastAt = -Infinity;
  /** How much had moved at some times; the first is at, or a little before, the start of the span. */
  let notes = [{ at: monotonic(), total }];
  const note = (at: number): void => {
    if (at - (notes.at(-1)?.at ?? 0) >= spanMs / NOTES) notes.push({ at, total });
  };
  return {
    moved: (bytes: number): void => {
      lastAt = monotonic();
      note(lastAt);
      total += bytes;
    },
    movedBytes: () => total,
    isAlive: (): boolean => {
      const now = monotonic();
      const from = now - spanMs;
      note(now);
      const first = notes.findLastIndex(({ at }) => at <= from);
      notes = notes.slice(Math.max(0, first));
      const before = notes[0]?.total ?? 0;
      return lastAt > from && total - before >= spanMs * SLOWEST_BYTES_PER_MS;
    },
  };
}

/** The largest pieces of a file that still show, at the slowest, that it moves. */
export function pieceBytes(timeoutMs: number): number {
  const most = 64 << 10;
  return Math.ceil(Math.min(most, Math.max(1024, timeoutMs * SLOWEST_BYTES_PER_MS)));
}
