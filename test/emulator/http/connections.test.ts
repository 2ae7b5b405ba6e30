/** What one connection may bring: many requests at once, and bytes that are not HTTP. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { beforeEach, describe, expect, test } from 'vitest';
import { emulatedOnce } from '../subject.ts';
import { connectTo, requestBytes, statusesIn } from '../wire.ts';

const waiting: (() => void)[] = [];
const own = emulatedOnce({ sleep: () => new Promise((resolve) => void waiting.push(resolve)) });
beforeEach(() => void (waiting.length = 0));

const get = (): string => requestBytes('GET', own.student.row('member'), own.student);
const put = (body: string): string =>
  requestBytes('PUT', own.student.row('member'), { token: own.student.token, body });
const grade = (body = '{"score":1}'): string =>
  requestBytes('POST', own.student.submit, { token: own.student.token, body });

describe('pipelined requests on one connection (RFC 9112, 9.3.2)', () => {
  test('take effect in order: a GET after a PUT reads the new row', async () => {
    const connection = connectTo(own.served.url);
    const rounds = Array.from({ length: 50 }, (_, n) => put(`{"n":${n}}`) + get());
    connection.write(rounds.join(''));
    const text = await connection.until((seen) => statusesIn(seen).length >= 100);
    const read = [...text.matchAll(/\{"n":(\d+)\}/g)].map(([, n]) => Number(n));
    expect(read).toEqual(Array.from({ length: 50 }, (_, n) => n));
    connection.destroy();
  });

  test('wait for the previous request, however long its response takes', async () => {
    await own.control('lms', { slow_ms: 5000 });
    const connection = connectTo(own.served.url);
    connection.write(grade() + put('{"late":true}') + get());
    await expect.poll(() => waiting.length).toBe(1);
    expect((await own.student.get(own.student.row('member'))).text).toBe('{}');
    waiting[0]?.();
    const text = await connection.until((seen) => seen.includes('{"late":true}'));
    expect(statusesIn(text)).toEqual([200, 204, 200]);
    connection.destroy();
    await own.control('lms', { ok: true });
  });

  test('do not start after the caller has disconnected', async () => {
    await own.control('lms', { slow_ms: 5000 });
    const accepted: Socket[] = [];
    const accept = (message: unknown): void =>
      void accepted.push((message as { socket: Socket }).socket);
    subscribe('net.server.socket', accept);
    const connection = connectTo(own.served.url);
    connection.write(grade() + put('{"late":true}'));
    await expect.poll(() => waiting.length).toBe(1);
    unsubscribe('net.server.socket', accept);
    connection.destroy();
    await expect.poll(() => accepted.map(({ destroyed }) => destroyed)).toEqual([true]);
    waiting[0]?.();
    await expect.poll(async () => (await own.control('state')).attempts.length).toBe(1);
    expect((await own.student.get(own.student.row('member'))).text).toBe('{}');
    await own.control('lms', { ok: true });
  });

  test('are read only a few ahead of the request in progress', async () => {
    await own.control('lms', { slow_ms: 5000 });
    const connection = connectTo(own.served.url);
    // More than the system holds between the two: the requests are large, so that few of them will do.
    const COUNT = 1_700;
    const headers = { 'x-padding': 'x'.repeat(12_000) };
    const large = requestBytes('GET', own.student.row('member'), {
      token: own.student.token,
      headers,
    });
    connection.write(grade());
    await expect.poll(() => waiting.length).toBe(1);
    connection.write(large.repeat(COUNT));
    // What comes on another connection is answered meanwhile.
    for (let round = 0; round < 50; round++) await own.student.get(own.student.row('member'));
    expect(connection.unsent()).toBeGreaterThan(0);
    waiting[0]?.();
    const text = await connection.until((seen) => seen.length > COUNT * 100);
    expect(new Set(statusesIn(text))).toEqual(new Set([200]));
    connection.destroy();
    await own.control('lms', { ok: true });
  });
});

describe('bytes that are not HTTP', () => {
  test('get 400 after the responses to the requests before them', async () => {
    const connection = connectTo(own.served.url);
    connection.write(`${put('{"kept":1}')}${get()}NONSENSE\r\n\r\n`);
    expect(statusesIn(await connection.ended)).toEqual([204, 200, 400]);
    expect((await own.student.get(own.student.row('member'))).text).toBe('{"kept":1}');
  });

  test('in the middle of a body get 400, and the request has no effect', async () => {
    const connection = connectTo(own.served.url);
    const headers = { 'transfer-encoding': 'chunked' };
    const chunked = requestBytes('PUT', own.student.row('member'), {
      token: own.student.token,
      headers,
    });
    connection.write(`${get()}${chunked}5\r\n{"a":\r\nZZ\r\n1}\r\n0\r\n\r\n`);
    expect(statusesIn(await connection.ended)).toEqual([200, 400]);
    expect((await own.student.get(own.student.row('member'))).text).toBe('{}');
  });

  test('and continue after the response do not prevent the client from reading it', async () => {
    const connection = connectTo(own.served.url);
    connection.write(`GET / HTTP/1.1\r\n${`x-flood: ${'y'.repeat(1000)}\r\n`.repeat(20_000)}`);
    expect(statusesIn(await connection.ended)).toEqual([431]);
    expect((await own.student.get(own.student.row('member'))).status).toBe(200);
  });
});
