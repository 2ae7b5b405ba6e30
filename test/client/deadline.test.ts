import { describe, expect, test } from 'vitest';
import {
  createClient,
  NoAnswer,
  type Transport,
  TransportError,
  type WireResponse,
} from '../../src/client/index.ts';

const SECONDS = 8;

/** A clock that is stopped until it is moved, and then calls the timers that are due. */
class TurnedClock {
  ms = 0;
  #due: { at: number; act: () => void }[] = [];

  readonly monotonic = (): number => this.ms;
  readonly after = (ms: number, act: () => void): (() => void) => {
    const timer = { at: this.ms + ms, act };
    this.#due.push(timer);
    return () => void (this.#due = this.#due.filter((each) => each !== timer));
  };

  async pass(ms: number): Promise<void> {
    const end = this.ms + ms;
    for (;;) {
      const next = this.#due.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#due = this.#due.filter((each) => each !== next);
      this.ms = next.at;
      next.act();
      await settled();
    }
    this.ms = end;
    await settled();
  }
}

/** All that can happen without time or network has happened. */
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** A client whose every call is answered by `transport`, on a clock of its own. */
function turned(transport: Transport, signal?: AbortSignal) {
  const clock = new TurnedClock();
  const client = createClient(
    { kind: 'launch_token', secret: 'launch-token', origin: 'http://127.0.0.1:1' },
    {
      transport,
      clock: {
        // Set back by a year in the middle of everything: durations must not go by it.
        now: () => (clock.ms < 1000 ? 0 : -31_536_000_000),
        monotonic: clock.monotonic,
        setTimer: clock.after,
      },
      timeoutMs: SECONDS * 1000,
      signal,
    },
  );
  return { clock, client };
}

/** A body that is given piece by piece, until the exchange is cancelled. */
function fed() {
  const waiting: Uint8Array[] = [];
  let wake = (): void => {};
  let isCancelled = false;
  async function* body(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const woken = new Promise<void>((resolve) => void (wake = resolve));
      yield* waiting.splice(0);
      if (isCancelled) throw new TransportError('cancelled', true);
      await woken;
    }
  }
  const cancel = (): void => {
    isCancelled = true;
    wake();
  };
  const feed = async (bytes: number): Promise<void> => {
    waiting.push(new Uint8Array(bytes));
    wake();
    await settled();
  };
  const response: WireResponse = { status: 200, headers: {}, body: body() };
  const transport: Transport = () => ({ response: Promise.resolve(response), cancel });
  return { transport, feed };
}

describe('a transfer of file bytes', () => {
  const URL = 'http://127.0.0.1:1/bytes';

  /** Downloads a file of 1 GB; what became of it so far. */
  function downloading() {
    const { transport, feed } = fed();
    const { clock, client } = turned(transport);
    const end = { error: undefined as unknown, at: 0 };
    client.downloadFile(URL, { length: 1e9, take: () => {} }).catch((error: unknown) => {
      end.error = error;
      end.at = clock.ms;
    });
    return { clock, feed, end };
  }

  test.each([
    ['each second', 1000, 1100, 1000],
    ['in bursts', 100, SECONDS * 1000, SECONDS * 999],
  ])('continues as long as 1 KB arrives in a second: %s', async (_, times, bytes, ms) => {
    const { clock, feed, end } = downloading();
    for (let time = 0; time < times; time += 1) {
      await feed(bytes);
      await clock.pass(ms);
    }
    expect(end.error).toBeUndefined();
  });

  test('ends below 1 KB per second', async () => {
    const { clock, feed, end } = downloading();
    for (let second = 0; second < 2 * SECONDS; second += 1) {
      await feed(900);
      await clock.pass(1000);
    }
    expect(end.error).toBeInstanceOf(NoAnswer);
    expect(end.error).toMatchObject({
      message: `fewer than 1 KB/s came over ${SECONDS} s`,
      reason: 'timeout',
      inDoubt: false,
    });
    expect(end.at).toBe(SECONDS * 1000);
  });

  test('ends soon after it stalls, however much arrived before', async () => {
    const { clock, feed, end } = downloading();
    for (let second = 0; second < 100; second += 1) {
      await feed(1_000_000);
      await clock.pass(1000);
    }
    await clock.pass(SECONDS * 1000);
    expect(end.error).toMatchObject({ reason: 'timeout' });
    expect(end.at - 99_000).toBeGreaterThanOrEqual(SECONDS * 1000);
    expect(end.at - 99_000).toBeLessThanOrEqual(SECONDS * 1250);
  });

  test('of an upload continues as long as 1 KB goes out each second, and ends below', async () => {
    let [wanted, cancel] = [(): void => {}, (): void => {}];
    const transport: Transport = ({ body }) => ({
      cancel: () => cancel(),
      response: new Promise<never>((...[, reject]) => {
        cancel = () => reject(new TransportError('cancelled', true));
        void (async () => {
          for await (const _ of (body as { chunks: () => AsyncIterable<Uint8Array> }).chunks())
            await new Promise<void>((resolve) => void (wanted = resolve));
        })();
      }),
    });
    const { clock, client } = turned(transport);
    let error: unknown;
    const chunks = async function* () {
      for (;;) yield new Uint8Array(2000);
    };
    const source = { length: 1e9, filename: 'a', mimetype: 'text/plain', chunks };
    client.uploadFile({ url: URL, fields: [] }, source).catch((thrown) => (error = thrown));
    for (let second = 0; second < 10 * SECONDS; second += 1) {
      await clock.pass(1000);
      wanted();
    }
    expect(error).toBeUndefined();
    await clock.pass(SECONDS * 1250);
    expect(error).toMatchObject({ message: `fewer than 1 KB/s went over ${SECONDS} s` });
  });

  test('waits for the response to an upload no longer than any other call', async () => {
    let cancel = (): void => {};
    const transport: Transport = ({ body }) => ({
      cancel: () => cancel(),
      response: (async () => {
        for await (const _ of (body as { chunks: () => AsyncIterable<Uint8Array> }).chunks());
        return new Promise<never>((_, reject) => {
          cancel = () => reject(new TransportError('cancelled', true));
        });
      })(),
    });
    const { clock, client } = turned(transport);
    const source = {
      length: 3_000_000,
      filename: 'a',
      mimetype: 'text/plain',
      chunks: async function* () {
        yield new Uint8Array(3_000_000);
      },
    };
    let error: unknown;
    client.uploadFile({ url: URL, fields: [] }, source).catch((thrown) => (error = thrown));
    await clock.pass(SECONDS * 2000);
    expect(error).toMatchObject({ message: `no answer within ${SECONDS} s`, inDoubt: true });
  });
});

test('any other call has a deadline for the whole of it, however much arrives', async () => {
  const { transport, feed } = fed();
  const { clock, client } = turned(transport);
  let error: unknown;
  client.readRow('http://127.0.0.1:1/row').catch((thrown) => (error = thrown));
  for (let second = 0; second < SECONDS; second += 1) {
    await feed(100_000);
    await clock.pass(1000);
  }
  expect(error).toMatchObject({ message: `no answer within ${SECONDS} s`, reason: 'timeout' });
});

describe('a transport that does not react to cancel', () => {
  const never = new Promise<never>(() => {});
  const stuck: Readonly<Record<string, Transport>> = {
    'before the answer': () => ({ response: never, cancel: () => {} }),
    'in the answer': () => ({
      cancel: () => {},
      response: Promise.resolve({
        status: 200,
        headers: {},
        body: (async function* () {
          yield new Uint8Array(1);
          await never;
        })(),
      }),
    }),
  };
  for (const [where, transport] of Object.entries(stuck)) {
    test(`${where} ends at the deadline`, async () => {
      const { clock, client } = turned(transport);
      let error: unknown;
      client
        .putRow('http://127.0.0.1:1/row', new Uint8Array(2))
        .catch((thrown) => (error = thrown));
      await clock.pass(SECONDS * 1000 + 1000);
      expect(error).toMatchObject({ reason: 'timeout', inDoubt: true });
    });

    test(`${where} ends at an interrupt`, async () => {
      const interrupt = new AbortController();
      const { clock, client } = turned(transport, interrupt.signal);
      let error: unknown;
      client.readRow('http://127.0.0.1:1/row').catch((thrown) => (error = thrown));
      await clock.pass(500);
      interrupt.abort();
      await clock.pass(1000);
      expect(error).toMatchObject({ reason: 'interrupted', inDoubt: false });
    });
  }
});
