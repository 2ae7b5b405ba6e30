import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { NO_POSTGRES } from '../../support/postgres.ts';
import { rejection, rowsOf, sealedRun } from '../support.ts';
import { newLedger, openShared, postgresOfFile } from './support.ts';

const READY = 'Z'.charCodeAt(0);
const KEY = 'K'.charCodeAt(0);
const IDLE = 'I'.charCodeAt(0);
const TERMINATE = 'X'.charCodeAt(0);

/** A session with the server: what a client asks of it goes there when all before was answered. */
class Session {
  /** What the server says to a login. */
  greeting = Buffer.alloc(0);
  #isReady = false;
  readonly #socket: Socket;
  readonly #asked: { readonly chunk: Buffer; readonly by: Socket }[] = [];
  #read = Buffer.alloc(0);
  #asks: Socket | undefined;

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.on('error', () => {}).on('data', (chunk) => this.#answer(chunk));
    onTestFinished(() => void this.#socket.destroy());
  }

  ask(by: Socket, chunk: Buffer): void {
    this.#asked.push({ by, chunk });
    this.#next();
  }

  /** In a transaction it is that client's. */
  #next(): void {
    const index = this.#asked.findIndex(({ by }) => (this.#asks ?? by) === by);
    const [next] = index === -1 ? [] : this.#asked.splice(index, 1);
    if (!next) return;
    this.#asks = next.by;
    this.#socket.write(next.chunk);
  }

  #answer(chunk: Buffer): void {
    this.#read = Buffer.concat([this.#read, chunk]);
    while (this.#read.length >= 5 && this.#read.length > this.#read.readInt32BE(1)) {
      const message = this.#read.subarray(0, 1 + this.#read.readInt32BE(1));
      this.#read = this.#read.subarray(message.length);
      // The process of the server is hidden: what is cancelled goes through the pooler.
      if (message[0] === KEY) message.writeInt32BE(1, 5);
      this.#asks?.write(message);
      if (!this.#isReady) this.greeting = Buffer.concat([this.greeting, message]);
      if (message[0] !== READY) continue;
      this.#isReady = true;
      if (message[5] === IDLE) this.#asks = undefined;
      this.#next();
    }
  }
}

/** A pooler in front of a ledger's server, which lends one session to all, or has one for each. */
async function pooled(url: string, mode: 'transaction' | 'session'): Promise<string> {
  const port = Number(new URL(url).port);
  let lent: Session | undefined;
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    clients.add(client.on('error', () => {}));
    const isFirst = mode === 'session' || lent === undefined;
    const session = mode === 'session' ? new Session(port) : (lent ??= new Session(port));
    let isKnown = isFirst;
    client.on('data', (chunk) => {
      if (!isKnown) client.write(session.greeting);
      else if (chunk[0] !== TERMINATE) session.ask(client, chunk);
      isKnown = true;
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const client of clients) client.destroy();
  });
  return Object.assign(new URL(url), { port: String((server.address() as AddressInfo).port) }).href;
}

describe.skipIf(NO_POSTGRES)(`a ledger behind a pooler ${NO_POSTGRES ?? ''}`, () => {
  const held = postgresOfFile();

  test('that lends a session for each transaction is refused, with the way out', async () => {
    const error = await rejection(openShared(await pooled(await newLedger(held), 'transaction')));
    expect(error).toMatchObject({ fault: 'unsafe' });
    expect(String(error)).toMatch(/a pooler lends .*the server's own address.*pool_mode = session/);
  });

  test('that keeps a session for each connection is one like the others', async () => {
    const ledger = await openShared(await pooled(await newLedger(held), 'session'));
    expect((await sealedRun(ledger, rowsOf(3))).summary).toMatchObject({ notSent: 3 });
  });
});
