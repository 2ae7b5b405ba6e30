import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Answers, createEmulator, type Emulator } from '../../../src/emulator/index.ts';
import { Exchanges } from '../../../src/emulator/review/exchanges.ts';
import { temporaryFolder } from '../../support/lectern.ts';
import type { Claims } from '../documents.ts';

let exchanges: Exchanges | undefined;
afterEach(() => exchanges?.close());

const get = (emulator: Emulator, path: string, headers = {}) =>
  emulator.fetch(new Request(`http://service.test${path}`, { headers }));

test('the oldest exchanges are dropped beyond the limits', async () => {
  exchanges = new Exchanges('', { facts: 30, whole: 10 });
  const emulator = createEmulator({ exchanges });
  for (let sent = 1; sent <= 40; sent++) await get(emulator, `/${sent}`);
  const numbers = (table: string) =>
    [...(exchanges?.rows<{ number: number }>(`SELECT number FROM ${table}`) ?? [])].map(
      ({ number }) => number,
    );
  expect([numbers('exchanges')[0], numbers('exchanges').length]).toEqual([11, 30]);
  expect([numbers('wholes')[0], numbers('wholes').length]).toEqual([31, 10]);
  expect(exchanges.counts).toMatchObject({ kept: 30, total: 40, missed: 0 });
});

test('the service continues on a full disk, and the exchanges that are missing are counted', async () => {
  exchanges = new Exchanges();
  const emulator = createEmulator({ exchanges });
  const full = (pages: number) => [...(exchanges?.rows(`PRAGMA max_page_count = ${pages}`) ?? [])];
  await get(emulator, '/1');
  full(1);
  for (let sent = 0; sent < 40; sent++) {
    const answer = await get(emulator, `/${'x'.repeat(1900)}`);
    expect(answer.status).toBe(404);
  }
  const { missed, why, kept, total } = exchanges.counts;
  expect(missed).toBeGreaterThan(0);
  expect([why, kept + missed, total]).toEqual(['database or disk is full', 41, 41]);
  full(1_000_000);
  await get(emulator, '/2');
  const latest = exchanges.counts;
  const after = [...exchanges.rows<{ missed: number; why: string }>('SELECT * FROM counts')];
  expect(after).toMatchObject([{ missed: latest.missed, why }]);
});

test('the file has no token', async () => {
  const file = join(temporaryFolder(), 'traffic.db');
  exchanges = new Exchanges(file);
  const emulator = createEmulator({ exchanges });
  const { api } = emulator.launch({}) as unknown as Claims;
  await get(emulator, `/cb?code=${api.token}`, {
    authorization: `Bearer ${api.token}`,
    'x-echo': api.token,
  });
  exchanges.close();
  const bytes = readFileSync(file, 'latin1');
  expect(bytes).toContain('/cb?code=');
  expect(bytes).not.toContain(api.token.slice(3));
});

test('a finding cites exchanges whose bodies were dropped', async () => {
  exchanges = new Exchanges('', { facts: 30, whole: 10 });
  const emulator = createEmulator({ exchanges, controlToken: 'control' });
  const teacher = emulator.launch({ role: 'instructor' }) as unknown as Claims;
  const assistant = emulator.launch({ role: 'assistant' }) as unknown as Claims;
  const put = ({ api, storage }: Claims, title: string) =>
    emulator.fetch(
      new Request(storage.context, {
        method: 'PUT',
        headers: { authorization: `Bearer ${api.token}` },
        body: JSON.stringify({ title }),
      }),
    );
  const asked = async <Answer>(path: string): Promise<Answer> => {
    const answer = await get(emulator, `/_emulator/${path}`, { authorization: 'Bearer control' });
    return (await answer.json()) as Answer;
  };
  await put(teacher, 'A');
  await put(assistant, 'B');
  for (let sent = 0; sent < 20; sent++) await get(emulator, '/.well-known/jwks.json');
  await put(teacher, 'C');
  const { findings } = await asked<Answers['GET report']>('report');
  expect(findings).toContainEqual(
    expect.objectContaining({ code: 'request.value_overwritten', requests: [2, 23] }),
  );
  const second = await asked<Answers['GET request']>('request?number=2');
  expect([second.caller, second.captured]).toEqual([assistant.user.member, null]);
  const last = await asked<Answers['GET request']>('request?number=23');
  expect(last.captured?.request.body?.text).toBe('{"title":"C"}');
});
