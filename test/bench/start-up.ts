import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import module from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Line } from './figure.ts';
import type { Bench } from './main.ts';
import { at, BINARY, line, wallTime } from './processes.ts';

/** A certificate for localhost and its key. */
const CERTIFICATE = at('../support/localhost.pem');
const NOTHING = ['-e', '0'];
const ROW_BYTES = 200_000;
const PAIRS = 21;

/** Whether Node keeps compiled code between two starts. */
const isCached = 'enableCompileCache' in module;

/** What a person waits for before anything happens. */
export const startUp: Bench = async (lines, folder) => {
  const pem = readFileSync(CERTIFICATE);
  const server = await listening(createServer(sendRow));
  const tlsServer = await listening(createTlsServer({ cert: pem, key: pem }, sendRow));
  const url = `http://127.0.0.1:${portOf(server)}/row`;
  const tlsUrl = `https://localhost:${portOf(tlsServer)}/row`;
  const launch = launchFile(folder, 'launch.json', url);
  const env = { LECTERN_HOME: folder };
  const run = (...args: string[]): string[] => [BINARY, ...args];
  const get = run('storage', 'get', 'member', '-l', launch);
  const tlsGet = run('storage', 'get', 'member', '-l', launchFile(folder, 'tls.json', tlsUrl));
  const beside = (name: string, atMost: number, own: string[], bare = NOTHING, more = {}): Line =>
    line(
      { name: `lectern ${name}`, goal: { atMost }, pairs: PAIRS },
      () => wallTime(own, { ...env, ...more }),
      () => wallTime(bare, { ...env, ...more }),
    );
  try {
    await lines([
      beside('--version / node -e 0', 1.35, run('--version')),
      beside('storage --help / node -e 0', 2.1, run('storage', '--help')),
      beside(
        'launch decode FILE / node -e 0',
        isCached ? 2.4 : 2.8,
        run('launch', 'decode', launch),
      ),
      beside('storage get, 200 KB / node -e 0', isCached ? 3 : 3.6, get),
      beside('storage get, 200 KB / bare undici script', 0.8, get, [at('bare-get.js'), url]),
      beside(
        'storage get, 200 KB over HTTPS / bare node:https script',
        1.8,
        tlsGet,
        [at('bare-https.js'), tlsUrl],
        { NODE_EXTRA_CA_CERTS: CERTIFICATE },
      ),
    ]);
  } finally {
    for (const each of [server, tlsServer]) {
      each.close();
      each.closeAllConnections();
    }
  }
};

function launchFile(folder: string, name: string, url: string): string {
  const file = join(folder, name);
  const claims = { iss: url, api: { token: 'bench' }, storage: { member: url } };
  writeFileSync(file, JSON.stringify(claims));
  return file;
}

const ROW = JSON.stringify({ text: 'x'.repeat(ROW_BYTES) });

const sendRow: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(ROW);
};

function listening<Each extends Server>(server: Each): Promise<Each> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
