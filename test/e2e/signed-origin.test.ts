import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { binary } from '../support/binary.ts';
import { temporaryFolder } from '../support/lectern.ts';
import { answerJson, launchFile, LOCALHOST_PEM, startService } from '../support/service.ts';

/** An https service whose signed addresses are on the origin that is given. */
async function httpsService(storage: string) {
  const record = { key: 'a.txt', size: 1, modified: 1, url: `${storage}/get`, fields: {} };
  const service = await startService(
    ({ target }, response) =>
      answerJson(response, 200, target.includes('les/member?') ? [] : record),
    { tls: true },
  );
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'a.txt'), 'a');
  const options = { cwd: folder, env: { NODE_EXTRA_CA_CERTS: LOCALHOST_PEM } };
  const launch = launchFile(service.origin);
  const run = (...args: string[]) => binary(['files', ...args, '-l', launch], options);
  return { run, methods: () => service.requests.map(({ method }) => method) };
}

test('a signed http address of an https service is rejected', async () => {
  const { run } = await httpsService('http://storage.example');
  const words = 'the service is https, but the signed URL at http://storage.example is not';
  for (const args of [
    ['upload', 'member', 'a.txt'],
    ['download', 'member', 'a.txt', '-o', 'b'],
  ]) {
    const { exit, stderr } = await run(...args);
    expect([args, exit, stderr]).toEqual([args, 3, expect.stringContaining(words)]);
  }
});

test('a signed http address on this machine is accepted, and gets no bearer token', async () => {
  const storage = await startService((_, response) => void response.end('b'));
  const { run, methods } = await httpsService(storage.origin);
  expect((await run('upload', 'member', 'a.txt')).exit).toBe(0);
  expect((await run('download', 'member', 'a.txt', '-o', 'b')).exit).toBe(0);
  expect(methods()).toEqual(['GET', 'PUT', 'GET', 'GET']);
  expect(storage.requests.map(({ method }) => method)).toEqual(['POST', 'GET']);
  expect(storage.requests.map(({ headers }) => headers.authorization)).toEqual([
    undefined,
    undefined,
  ]);
});
