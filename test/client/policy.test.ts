import { expect, onTestFinished, test } from 'vitest';
import { createClient, credentialOf } from '../../src/client/index.ts';
import { attempt } from '../../src/grades/attempt.ts';
import { openLedger } from '../../src/ledger/index.ts';
import { writeRow } from '../../src/rows/write.ts';
import { readRow } from '../../src/rows/row.ts';
import { temporaryFolder } from '../support/lectern.ts';
import { startService, text } from '../support/service.ts';

test('a client with the policy read sends no write, and the ledger knows that it was not sent', async () => {
  const service = await startService(text(200, '{"a":1}'));
  const client = createClient(credentialOf({ iss: service.origin, api: { token: 't' } }), {
    policy: 'read',
  });
  const ledger = await openLedger({ file: `${temporaryFolder()}/ledger.sqlite` });
  onTestFinished(async () => {
    await client.close();
    await ledger.close();
  });
  const url = `${service.origin}/row`;
  const row = { client, url, label: 'member' };
  const before = await readRow(row);
  const refused = { name: 'PolicyError', code: 'policy.read' };
  const write = {
    command: 'a script',
    method: 'PUT',
    body: '{}',
    before,
    after: undefined,
  } as const;
  await expect(writeRow(row, write, { ledger })).rejects.toMatchObject(refused);
  const intent = { url, member: 'm', credential: 'launch_token', body: '{"score":1}' } as const;
  await expect(attempt(ledger, client, intent)).rejects.toMatchObject(refused);

  expect(await client.mayWrite()).toBe(false);
  expect(service.requests.every(({ method }) => method === 'GET')).toBe(true);
  expect((await ledger.images({})).map(({ outcome }) => outcome)).toEqual(['not_done']);
  for await (const { state } of ledger.attempts({})) expect(state).toBe('not_sent');
});

test('a client with the policy read asks nothing of a service that is not on loopback', async () => {
  const credential = { kind: 'launch_token', secret: 't', origin: 'https://a.example' } as const;
  const client = createClient(credential, {
    policy: 'read',
    transport: () => {
      throw new Error('a request was sent');
    },
  });
  const form = { url: 'https://b.example/upload', fields: [] };
  const file = { filename: 'a', mimetype: 'text/plain', length: 0, chunks: async function* () {} };
  await expect(client.uploadFile(form, file)).rejects.toMatchObject({ name: 'PolicyError' });
});
