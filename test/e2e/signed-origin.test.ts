import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { binary } from '../support/binary.ts';
import { temporaryFolder } from '../support/lectern.ts';
import { launchFor, startService } from '../support/service.ts';

const PEM = fileURLToPath(new URL('../support/localhost.pem', import.meta.url));

/** An https service whose signed addresses are on the origin that is given. */
async function httpsService(storage: string) {
  const pem = readFileSync(PEM);
  const methods: string[] = [];
  const server = createServer({ key: pem, cert: pem }, (request, response) => {
    methods.push(request.method ?? '');
    const record = { key: 'a.txt', size: 1, modified: 1, url: `${storage}/get`, fields: {} };
    const isListing = /files\/member\?|les\/member\?/.test(request.url ?? '');
    request.resume().on('end', () => response.end(JSON.stringify(isListing ? [] : record)));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const folder = temporaryFolder();
  const launch = launchFor(`https://localhost:${(server.address() as AddressInfo).port}`);
  writeFileSync(join(folder, 'launch.json'), JSON.stringify(launch));
  writeFileSync(join(folder, 'a.txt'), 'a');
  const run = (...args: string[]) =>
    binary(['files', ...args, '-l', 'launch.json'], {
      cwd: folder,
      env: { NODE_EXTRA_CA_CERTS: PEM },
    });
  return { run, methods };
}

test('a signed http address of an https service is refused', async () => {
  const { run } = await httpsService('http://storage.example');
  const words = 'the service is https, but the signed address at http://storage.example is not';
  for (const args of [
    ['upload', 'member', 'a.txt'],
    ['download', 'member', 'a.txt', '-o', 'b'],
  ]) {
    const { exit, stderr } = await run(...args);
    expect([args, exit, stderr]).toEqual([args, 3, expect.stringContaining(words)]);
  }
});

test('but on this machine, where it is an emulator, it is not; no bearer goes there', async () => {
  const storage = await startService((_, response) => void response.end('b'));
  const { run, methods } = await httpsService(storage.origin);
  expect((await run('upload', 'member', 'a.txt')).exit).toBe(0);
  expect((await run('download', 'member', 'a.txt', '-o', 'b')).exit).toBe(0);
  expect(methods).toEqual(['GET', 'PUT', 'GET', 'GET']);
  expect(storage.requests.map(({ method }) => method)).toEqual(['POST', 'GET']);
  expect(storage.requests.map(({ headers }) => headers.authorization)).toEqual([
    undefined,
    undefined,
  ]);
});
