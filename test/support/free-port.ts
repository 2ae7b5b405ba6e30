import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Each of vitest's workers has ports of its own, so that no two tests take the same one. */
const PORTS = 1000;
const FIRST_PORT = 10_000 + (Number(process.env.VITEST_POOL_ID ?? 0) % 10) * PORTS;

const given = new Set<number>();

/**
 * A port of loopback for a server that cannot choose its own, or that comes back to it. It is below those
 * that systems lend out: while no process listens there, no other process gets it. No port is given twice.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + randomInt(PORTS);
    if (given.has(port)) continue;
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.close();
    if (!isFree) continue;
    given.add(port);
    return port;
  }
}

/** Flags of `emulator start` for one that is started again: no other test can take its ports meanwhile. */
export async function keptPorts(): Promise<string[]> {
  return ['--port', `${await freePort()}`, '--blob-port', `${await freePort()}`];
}
