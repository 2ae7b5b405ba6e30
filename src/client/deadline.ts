import { TransportError } from './transport.ts';

/** The minimum rate of a transfer: 1 KB/s. */
const MIN_BYTES_PER_MS = 1;
/** How often the progress is sampled within the deadline. */
const SAMPLES = 8;
/** How long a transport may take to confirm that it is cancelled. */
const GRACE_MS = 1000;

/** Settings of a deadline. */
export interface DeadlineSettings {
  /** Milliseconds of a monotonic clock, for durations. */
  readonly monotonic: () => number;
  /** Calls `act` after `ms` milliseconds, unless the returned function is called before. */
  readonly setTimer: (ms: number, act: () => void) => () => void;
  /**
   * Maximum milliseconds of the whole call, from the first byte sent to the last one received. The bytes
   * of a file may take longer, at 1 KB/s or more over that time.
   */
  readonly timeoutMs: number;
  /** Cancels every call. */
  readonly signal?: AbortSignal;
  /** Cancels the calls in progress: one listener on `signal` serves any number of calls. */
  readonly cancels: Set<() => void>;
}

/** The deadline of a call. */
export interface Deadline {
  /** Sets how the exchange is cancelled, at the deadline or when the signal aborts. */
  readonly watch: (cancel: () => void) => void;
  /** Reports transferred bytes of a file. */
  readonly moved: (bytes: number) => void;
  readonly movedBytes: () => number;
  /** Rejects soon after the deadline, even if the transport does not confirm the cancellation. */
  readonly limit: <Value>(work: Promise<Value>) => Promise<Value>;
  readonly passed: () => boolean;
  readonly clear: () => void;
}

/**
 * Starts the deadline of a call. It passes when, over `timeoutMs`, fewer than 1 KB/s of a file were
 * transferred: for a call without a file after `timeoutMs`, for a file of any size only if it stalls.
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
      stop = setTimer(timeoutMs / SAMPLES, check);
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
    limit: (work) =>
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

/** Tells whether enough bytes were transferred over the last `spanMs`. */
function watchTransfer(spanMs: number, monotonic: () => number) {
  let total = 0;
  let lastAt = -Infinity;
  /** Samples of the total; the first is at, or a little before, the start of the span. */
  let notes = [{ at: monotonic(), total }];
  const note = (at: number): void => {
    if (at - (notes.at(-1)?.at ?? 0) >= spanMs / SAMPLES) notes.push({ at, total });
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
      return lastAt > from && total - before >= spanMs * MIN_BYTES_PER_MS;
    },
  };
}

/** The largest piece of a file that still shows progress at the minimum rate. */
export function pieceBytes(timeoutMs: number): number {
  const most = 64 << 10;
  return Math.ceil(Math.min(most, Math.max(1024, timeoutMs * MIN_BYTES_PER_MS)));
}
