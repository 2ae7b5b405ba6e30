import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Loopback only. */
export const HOST = '127.0.0.1';

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

/** The port to listen on: the requested one, or else the last one, or else any. */
export interface WantedPort {
  readonly requested?: number | undefined;
  readonly last?: number | undefined;
}

/**
 * Listens on loopback, on a requested port, or on the last one if it is or soon becomes free, or on any.
 *
 * @returns the port
 * @throws {NodeJS.ErrnoException} the requested port is taken, or not available
 */
export async function listen(
  server: Server,
  { requested, last }: WantedPort,
  sleep: (ms: number) => Promise<unknown>,
): Promise<number> {
  if (requested !== undefined) return listenSoon(server, requested, sleep);
  if (last !== undefined) {
    try {
      return await listenSoon(server, last, sleep);
    } catch {
      // Another program has it: any other will do.
    }
  }
  for (let tries = 0; tries < RANDOM_PORT_TRIES; tries++) {
    try {
      return await listenOn(server, randomInt(PORT_RANGE.lowest, PORT_RANGE.end));
    } catch {
      // The next one may be free.
    }
  }
  return listenOn(server, 0);
}

/** Listens on a port, and waits a little where it is taken. */
async function listenSoon(
  server: Server,
  port: number,
  sleep: (ms: number) => Promise<unknown>,
): Promise<number> {
  for (let tries = 1; ; tries++) {
    try {
      return await listenOn(server, port);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EADDRINUSE' || tries === TAKEN_TRIES) throw error;
    }
    await sleep(TAKEN_PAUSE_MS);
  }
}

/** Listens once; nothing of a failed try is left on the server, which is tried again. */
async function listenOn(server: Server, port: number): Promise<number> {
  server.listen(port, HOST);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
