import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Each of vitest's workers has ports of its own, so that no two tests take the same one. */
const PORTS = 1000;
const FIRST_PORT = 10_000 + (Number(process.env.VITEST_POOL_ID ?? 0) % 10) * PORTS;

/** Where the next search begins; another place for each process. */
let next = randomInt(PORTS);

/**
 * A port of loopback for a server that cannot choose its own, or that comes back to it. It is below those
 * that systems lend out: while no process listens there, no other process gets it. A port is given again
 * only after all others.
 */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < PORTS; tried++) {
    const port = FIRST_PORT + (next++ % PORTS);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return port;
  }
  throw new Error(`none of ${PORTS} ports from ${FIRST_PORT} is free`);
}

/** Flags of `emulator start` for one that is started again: no other test can take its ports meanwhile. */
export async function keptPorts(): Promise<string[]> {
  return ['--port', `${await freePort()}`, '--blob-port', `${await freePort()}`];
}
