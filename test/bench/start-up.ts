import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import module from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bench } from './main.ts';
import { processes } from './processes.ts';

const BINARY = fileURLToPath(new URL('../../bin/lectern.js', import.meta.url));
const BARE_GET = fileURLToPath(new URL('bare-get.js', import.meta.url));
const NOTHING = ['-e', '0'];
const ROW_BYTES = 200_000;

/** Whether Node keeps compiled code between two starts. */
const isCached = 'enableCompileCache' in module;

/** What a person waits for before anything happens. */
export const startUp: Bench = async (lines) => {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-bench-'));
  const server = await serveRow();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/row`;
  const launch = join(folder, 'launch.json');
  writeFileSync(
    launch,
    JSON.stringify({ iss: url, api: { token: 'bench' }, storage: { member: url } }),
  );
  const env = { LECTERN_HOME: folder };
  const run = (...args: string[]): string[] => [BINARY, ...args];
  const get = run('storage', 'get', 'member', '-l', launch);
  try {
    await lines([
      processes('lectern --version / node -e 0', { atMost: 1.35 }, run('--version'), NOTHING, env),
      processes(
        'lectern storage --help / node -e 0',
        { atMost: 2.1 },
        run('storage', '--help'),
        NOTHING,
        env,
      ),
      processes(
        'lectern launch decode FILE / node -e 0',
        { atMost: isCached ? 2.4 : 2.8 },
        run('launch', 'decode', launch),
        NOTHING,
        env,
      ),
      processes(
        'lectern storage get, 200 KB / node -e 0',
        { atMost: isCached ? 3 : 3.6 },
        get,
        NOTHING,
        env,
      ),
      processes(
        'lectern storage get, 200 KB / bare undici script',
        { atMost: 0.8 },
        get,
        [BARE_GET, url],
        env,
      ),
    ]);
  } finally {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  }
};

function serveRow() {
  const body = JSON.stringify({ text: 'x'.repeat(ROW_BYTES) });
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(body);
  });
  return new Promise<typeof server>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}
