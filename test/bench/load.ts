import { connect, type Socket } from 'node:net';

/** A request that is sent again and again. */
export interface Shot {
  readonly method: string;
  readonly url: string;
  /** Other paths on the same origin, sent in turn in place of that of `url`. */
  readonly paths?: readonly string[];
  /** The answer is to be a 4xx. */
  readonly isRefused?: true;
  readonly token?: string;
  /** Sent in turn: a store may find that nothing changed when it is given the same again. */
  readonly bodies?: readonly string[];
}

const CONNECTIONS = 64;
/** An answer that takes longer does not come. */
const LONGEST_MS = 10_000;
const HEAD_END = '\r\n\r\n';

/**
 * Requests per second, over this many connections with one request each. Plain sockets: a
 * client library would be the slower half of what is measured. Fails on an answer that is no 2xx, or
 * where it is to be refused no 4xx.
 */
export async function requestsPerSecond(shot: Shot, ms: number): Promise<number> {
  const { hostname, port, pathname, search } = new URL(shot.url);
  const { paths = [pathname + search], bodies = [''] } = shot;
  const requests = bodies.flatMap((body) =>
    paths.map((path) => requestBytes(shot, body, `${hostname}:${port}`, path)),
  );
  const kind = shot.isRefused ? '4' : '2';
  const deadline = performance.now() + ms;
  const started = performance.now();
  const counts = await Promise.all(
    Array.from({ length: CONNECTIONS }, () =>
      fire(connect(Number(port), hostname), requests, { deadline, kind }),
    ),
  );
  const seconds = (performance.now() - started) / 1000;
  return counts.reduce((sum, count) => sum + count, 0) / seconds;
}

function requestBytes({ method, token }: Shot, body: string, host: string, path: string): Buffer {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `host: ${host}`,
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
    ...(body === '' ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
    ...(body === '' ? [] : ['content-type: application/json']),
  ];
  return Buffer.from(lines.join('\r\n') + HEAD_END + body);
}

interface Until {
  readonly deadline: number;
  /** The first digit of each answer's status. */
  readonly kind: string;
}

/** Sends until the deadline; resolves with how many were answered. */
function fire(
  socket: Socket,
  requests: readonly Buffer[],
  { deadline, kind }: Until,
): Promise<number> {
  socket.setNoDelay();
  return new Promise((resolve, reject) => {
    let count = 0;
    let missing: Buffer | undefined;
    const send = (): boolean => socket.write(requests[count % requests.length] as Buffer);
    socket.on('error', reject);
    socket.setTimeout(LONGEST_MS, () => {
      reject(new Error(`stood still for ${LONGEST_MS / 1000} s`));
      socket.destroy();
    });
    socket.on('data', (chunk) => {
      const answer: Buffer = missing === undefined ? chunk : Buffer.concat([missing, chunk]);
      const length = answerLength(answer);
      if (length === undefined || answer.length < length) {
        missing = answer;
        return;
      }
      missing = undefined;
      count++;
      if (answer.toString('latin1', 9, 10) !== kind) {
        reject(new Error(answer.toString()));
        socket.destroy();
      } else if (performance.now() < deadline) send();
      else {
        socket.destroy();
        resolve(count);
      }
    });
    send();
  });
}

/** Bytes of a whole answer; undefined while its head is not there. */
function answerLength(answer: Buffer): number | undefined {
  const end = answer.indexOf(HEAD_END);
  if (end === -1) return undefined;
  const head = answer.toString('latin1', 0, end).toLowerCase();
  const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1] ?? 0;
  return end + HEAD_END.length + Number(length);
}
