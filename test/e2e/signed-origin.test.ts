import { expect, test } from 'vitest';
import { binary } from '../support/binary.ts';
import { answerJson, launchFile, LOCALHOST_PEM, startService } from '../support/service.ts';
import { stepsAt } from '../support/steps.ts';

/** An https service whose signed addresses are on the origin that is given. */
async function httpsService(storage: string) {
  const record = { key: 'a.txt', size: 1, modified: 1, url: `${storage}/get`, fields: {} };
  const service = await startService(
    ({ target }, response) =>
      answerJson(response, 200, target.includes('les/member?') ? [] : record),
    { tls: true },
  );
  const env = { NODE_EXTRA_CA_CERTS: LOCALHOST_PEM, LECTERN_LAUNCH: launchFile(service.origin) };
  const { step } = stepsAt({ runs: binary, files: { 'a.txt': 'a' }, env });
  return { step, methods: () => service.requests.map(({ method }) => method) };
}

test('a signed http address of an https service is rejected', async () => {
  const { step } = await httpsService('http://storage.example');
  const words = 'the service is https, but the signed URL at http://storage.example is not';
  await step(`
    files upload member a.txt # exit 3: ${words}
    files download member a.txt -o b # exit 3: ${words}`);
});

test('a signed http address on this machine is accepted, and gets no bearer token', async () => {
  const storage = await startService((_, response) => void response.end('b'));
  const { step, methods } = await httpsService(storage.origin);
  await step('files upload member a.txt\nfiles download member a.txt -o b');
  expect(methods()).toEqual(['GET', 'PUT', 'GET', 'GET']);
  const seen = storage.requests.map(({ method, headers }) => [method, headers.authorization]);
  expect(seen).toEqual([
    ['POST', undefined],
    ['GET', undefined],
  ]);
});
