import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isOfMachine, type Listening } from './own-hosts.ts';

export const LOOPBACK = '127.0.0.1';

/**
 * Below the ports that systems use for outgoing connections: a restarted emulator could find its port
 * taken, and the URLs of saved launches would not work.
 */
const PORT_RANGE = { lowest: 20_000, end: 32_000 };
const RANDOM_PORT_TRIES = 4;

/**
 * A port that was just closed can be taken for some milliseconds more: by an emulator that is ending,
 * or by a process that another thread of this one starts, which has its sockets until it runs.
 */
const TAKEN_TRIES = 20;
const TAKEN_PAUSE_MS = 25;

/** The port to listen on: the requested one, else the last one, else any. */
export interface WantedPort {
  /** An IP address of this machine, or one for all of them. */
  readonly address: string;
  readonly requested?: number | undefined;
  readonly last?: number | undefined;
}

/**
 * Listens on a requested port, or on the last one if it is or soon becomes free, or on any.
 *
 * @returns the port
 * @throws {NodeJS.ErrnoException} the requested port is taken, or the address is not available
 */
export async function listen(
  server: Server,
  { address, requested, last }: WantedPort,
  sleep: (ms: number) => Promise<unknown>,
): Promise<number> {
  if (!isOfMachine(address)) {
    const message = `${address} is not an address of this machine`;
    throw Object.assign(new Error(message), { code: 'EADDRNOTAVAIL', syscall: 'listen' });
  }
  if (requested !== undefined) return listenSoon(server, { address, port: requested }, sleep);
  if (last !== undefined) {
    try {
      return await listenSoon(server, { address, port: last }, sleep);
    } catch {
      // Another program has it: use any other.
    }
  }
  for (let tries = 0; tries < RANDOM_PORT_TRIES; tries++) {
    try {
      const port = randomInt(PORT_RANGE.lowest, PORT_RANGE.end);
      return await listenOn(server, { address, port });
    } catch {
      // The next one may be free.
    }
  }
  return listenOn(server, { address, port: 0 });
}

/** Listens on a port, and waits a little where it is taken. */
async function listenSoon(
  server: Server,
  place: Listening,
  sleep: (ms: number) => Promise<unknown>,
): Promise<number> {
  for (let tries = 1; ; tries++) {
    try {
      return await listenOn(server, place);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EADDRINUSE' || tries === TAKEN_TRIES) throw error;
    }
    await sleep(TAKEN_PAUSE_MS);
  }
}

/** Listens once. A failed attempt leaves no listeners on the server, so that it can be tried again. */
async function listenOn(server: Server, { address, port }: Listening): Promise<number> {
  server.listen(port, address);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
