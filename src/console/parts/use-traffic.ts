import { useEffect, useRef, useState } from 'preact/hooks';
import { ask, messageOf } from '../api.ts';
import { onEvents } from '../live.ts';
import type { Exchange } from '../api.ts';

/** So many of the latest are kept here. */
const KEPT = 1000;
/** What comes within this time is shown together; where many come, within a longer one. */
const GATHER_MS = 60;
const GATHER_MANY_MS = 200;
const MANY = 100;

/** The requests as they come; a pause holds back what comes meanwhile. */
export function useTraffic(isPaused: boolean): {
  readonly requests: readonly Exchange[];
  readonly held: number;
  readonly error: string;
} {
  const [requests, setRequests] = useState<readonly Exchange[]>([]);
  const [held, setHeld] = useState(0);
  const [error, setError] = useState('');
  const waiting = useRef<Exchange[]>([]);
  const paused = useRef(isPaused);
  paused.current = isPaused;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let gatherMs = GATHER_MS;
    const show = (): void => {
      timer = undefined;
      if (paused.current) {
        setHeld(waiting.current.length);
        return;
      }
      const fresh = waiting.current.splice(0);
      gatherMs = fresh.length > MANY ? GATHER_MANY_MS : GATHER_MS;
      setHeld(0);
      setRequests((before) => merged(before, fresh));
    };
    const load = (): void => {
      ask('GET requests', { limit: KEPT })
        .then((answer) => {
          setError('');
          setRequests((before) => merged(before, answer.requests));
        })
        .catch((failure: unknown) => setError(messageOf(failure)));
    };
    load();
    const stop = onEvents((events) => {
      if (events.some((each) => each.kind === 'start')) load();
      if (events.some((each) => each.kind === 'change' && isForgetful(each.operation))) {
        waiting.current = [];
        setRequests([]);
        load();
      }
      for (const each of events) if (each.kind === 'request') waiting.current.push(each.request);
      if (waiting.current.length > KEPT) waiting.current.splice(0, waiting.current.length - KEPT);
      timer ??= setTimeout(show, gatherMs);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, []);
  useEffect(() => {
    if (isPaused) return;
    setHeld(0);
    setRequests((before) => merged(before, waiting.current.splice(0)));
  }, [isPaused]);
  return { requests, held, error };
}

function isForgetful(operation: string): boolean {
  return operation === 'POST reset' || operation === 'POST import';
}

/** In the order of their numbers, each once. */
function merged(before: readonly Exchange[], fresh: readonly Exchange[]): readonly Exchange[] {
  if (fresh.length === 0) return before;
  const byNumber = new Map([...before, ...fresh].map((each) => [each.number, each]));
  const all = [...byNumber.values()].sort((a, b) => a.number - b.number);
  return all.slice(-KEPT);
}
