import { getEventListeners } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient, credentialOf, type InvalidRow } from '../../src/client/index.ts';
import { compactJson, type ParsedObject } from '../../src/json/index.ts';
import { listening, startService } from '../support/service.ts';

describe('a client with its own transport', () => {
  test('calls with the credential of a launch', async () => {
    const service = await startService((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ saw: request.headers.authorization }));
    });
    const client = createClient(credentialOf({ iss: service.origin, api: { token: 't-1' } }));
    onTestFinished(() => client.close());
    const { text } = await client.readRow(`${service.origin}/row`);
    expect(text).toBe('{"saw":"Bearer t-1"}');
  });

  test('ends a call that is made before its transport is loaded', async () => {
    const stop = new AbortController();
    const credential = { kind: 'launch_token', secret: 't', origin: 'http://127.0.0.1:1' } as const;
    const client = createClient(credential, { signal: stop.signal });
    const reading = client.readRow('http://127.0.0.1:1/row');
    stop.abort();
    await expect(reading).rejects.toMatchObject({ name: 'NoAnswer', reason: 'interrupted' });
  });

  test.each([
    ['https', false],
    ['http', true],
  ])('over %s, a write is in doubt after a closed connection: %s', async (scheme, inDoubt) => {
    // In a TLS handshake, nothing of the request was sent.
    const server = createServer((socket) => void socket.once('data', () => socket.destroy()));
    const origin = `${scheme}://127.0.0.1:${await listening(server)}`;
    const client = createClient({ kind: 'launch_token', secret: 't', origin });
    onTestFinished(() => client.close());
    await expect(client.putRow(`${origin}/row`, Buffer.from('{}'))).rejects.toMatchObject({
      inDoubt,
    });
  });

  test('closes a client that was never used, and forgets its signal', async () => {
    const { signal } = new AbortController();
    const credential = { kind: 'api_key', secret: 'k', origin: 'http://127.0.0.1:1' } as const;
    const client = createClient(credential, { signal });
    await expect(client.close()).resolves.toBeUndefined();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('a row', () => {
  const reader = async (body: string | Buffer) => {
    const service = await startService((_, response) => void response.end(body));
    const client = createClient(
      credentialOf({ iss: service.origin, api: { token: 'a-secret-token' } }),
    );
    onTestFinished(() => client.close());
    return { client, url: `${service.origin}/row` };
  };

  test('keeps its exact text, exact numbers and duplicate names', async () => {
    const text = ' { "a": 1.10, "b": {"c": 1, "c": 9007199254740993} }\n';
    const { client, url } = await reader(text);
    for (const row of [await client.readRow(url), await client.readStored(url)]) {
      expect(row).toMatchObject({ text, duplicates: ['/b/c'] });
      expect(compactJson((row as ParsedObject).value)).toBe(
        '{"a":1.10,"b":{"c":9007199254740993}}',
      );
    }
  });

  test('that is not an object is an error with a redacted text', async () => {
    const { client, url } = await reader(Buffer.from('[\xff "a-secret-token"]', 'latin1'));
    await expect(client.readRow(url)).rejects.toMatchObject({ reason: 'unusable' });
    const stored = (await client.readStored(url)) as InvalidRow;
    expect(Buffer.from(stored.bytes).toString('latin1')).toBe('[\xff "[redacted]"]');
    expect(stored.violation.code).toBe('body.syntax');
  });
});

describe('a credential', () => {
  test('takes its origin from a complete URL', async () => {
    const service = await startService((_, response) => void response.end('{}'));
    const client = createClient({
      kind: 'launch_token',
      secret: 't',
      origin: `${service.origin}/some/path`,
    });
    onTestFinished(() => client.close());
    expect((await client.readRow(`${service.origin}/row`)).text).toBe('{}');
  });

  test.each([
    ['not valid in a header', { kind: 'api_key', secret: 'k\n', origin: 'http://127.0.0.1:1' }],
    ['is empty', { kind: 'api_key', secret: '', origin: 'http://127.0.0.1:1' }],
    ['is not a URL', { kind: 'api_key', secret: 'k', origin: 'service.example' }],
  ] as const)('is rejected before any call with the message "%s"', (words, credential) => {
    expect(() => createClient(credential)).toThrow(words);
  });

  test.each([
    ['no api.token', { iss: 'https://service.example' }],
    ['no iss', { api: { token: 't' } }],
  ])('is missing in a launch with %s', (words, claims) => {
    expect(() => credentialOf(claims)).toThrow(words);
  });
});
