import { describe, expect, test } from 'vitest';
import { createEmulator } from '../../../src/emulator/index.ts';
import { seededBytes } from '../../support/seeded.ts';
import { emulatedOnce } from '../subject.ts';
import { send } from '../wire.ts';

const slept: number[] = [];
const own = emulatedOnce({ sleep: async (ms) => void slept.push(ms) });

const attempts = async (): Promise<readonly unknown[]> => (await own.control('state')).attempts;
const read = () => own.student.get(own.student.row('member'));

describe('a fault', () => {
  test('replaces the response of the service with its own headers and body, and nothing takes effect', async () => {
    const headers = { 'Retry-After': '7' };
    await own.control('fault', { path: 'scores', status: 503, headers, body: '{"error":"busy"}' });
    const answer = await own.student.grade({ score: 1 });
    expect([answer.status, answer.text]).toEqual([503, '{"error":"busy"}']);
    expect(answer.headers).toMatchObject({
      'retry-after': '7',
      'content-type': 'application/json',
    });
    expect(await attempts()).toEqual([]);
  });

  test('applies to the requested number of matching responses only', async () => {
    await own.control('fault', { method: 'get', path: '/row\\?', times: 2, status: 500 });
    expect((await own.student.put(own.student.row('member'), {})).status).toBe(204);
    expect((await own.student.get(own.student.files('member'))).status).toBe(200);
    const statuses = [];
    for (let index = 0; index < 3; index++) {
      statuses.push((await read()).status);
    }
    expect(statuses).toEqual([500, 500, 200]);
  });

  test('that lasts applies until it is removed, and the course page shows it', async () => {
    await own.control('fault', { path: '.', close: 'before', lasts: true });
    for (let times = 0; times < 3; times++) {
      await expect(own.student.put(own.student.row('member'), {})).rejects.toThrow();
    }
    const page = `course/${own.student.claims.launch_id}/status`;
    expect((await own.operate('GET', page)).json()).toMatchObject({
      faults: ['close before, until it is removed'],
    });
    const { faults } = await own.control('faults');
    expect(faults).toMatchObject([{ times: null }]);
    await own.control('fault/clear', {});
    expect((await read()).json()).toEqual({});
    expect((await own.operate('GET', page)).json()).toMatchObject({ faults: [] });
  });

  test('is used up before later ones that match as well', async () => {
    await own.control('fault', { path: '.', status: 500 });
    expect((await own.control('fault', { path: '.', status: 501 })).faults).toHaveLength(2);
    expect((await read()).status).toBe(500);
    expect((await read()).status).toBe(501);
    expect((await read()).status).toBe(200);
  });

  test('with close before causes no effect and no response', async () => {
    await own.control('fault', { path: 'scores', close: 'before' });
    await expect(own.student.grade({ score: 1 })).rejects.toThrow();
    expect(await attempts()).toHaveLength(0);
  });

  test('with close after takes effect and sends no response', async () => {
    await own.control('fault', { path: 'scores', close: 'after' });
    await expect(own.student.grade({ score: 1 })).rejects.toThrow();
    expect(await attempts()).toHaveLength(1);
  });

  test('with cut sends the head and half of the body', async () => {
    await own.student.put(own.student.row('member'), { text: 'x'.repeat(1000) });
    await own.control('fault', { path: '/row', cut: true });
    await expect(read()).rejects.toThrow('aborted');
    expect((await read()).status).toBe(200);
  });

  test('with delay takes effect at once and responds later', async () => {
    await own.control('fault', { path: 'scores', delay_ms: 1234 });
    expect((await own.student.grade({ score: 1 })).status).toBe(200);
    expect(slept).toEqual([1234]);
  });

  test('also applies to signed addresses', async () => {
    await own.control('fault', { method: 'POST', path: 'incoming', close: 'before' });
    await expect(own.student.upload('member', 'a.txt', 'hello')).rejects.toThrow();
    expect((await own.student.get(own.student.files('member'))).json()).toEqual([]);
    await own.control('fault', { method: 'POST', path: 'incoming', status: 500 });
    expect((await own.student.upload('member', 'a.txt', 'hello')).status).toBe(500);
    await own.control('fault', { method: 'POST', path: 'incoming', close: 'after' });
    await expect(own.student.upload('member', 'a.txt', 'hello')).rejects.toThrow();
    const { url } = (await own.student.get(own.student.file('member', 'a.txt'))).json();
    await own.control('fault', { path: '/files/', cut: true });
    await expect(send('GET', url)).rejects.toThrow('aborted');
    expect((await send('GET', url)).text).toBe('hello');
  });

  test('never applies to the control API, and is removed by clear and reset', async () => {
    for (const clear of ['fault/clear', 'reset'] as const) {
      await own.control('fault', { path: '.', status: 500, times: 9 });
      await own.control('state');
      await own.control(clear, {});
      const student = await own.launch();
      expect((await student.get(student.row('member'))).status).toBe(200);
    }
  });

  test.each([
    [{ path: '.' }, 'exactly one of'],
    [{ path: '.', status: 600 }, 'status must be'],
    [{ path: '.', cut: true, body: 'x' }, 'headers and body need a status'],
    [{ path: '.', status: 500, headers: { a: 'c\r\nd: e' } }, 'is not a valid header'],
    [
      { path: '.', status: 500, headers: { 'Transfer-Encoding': 'chunked' }, body: 'x' },
      'transfer-encoding is set by the emulator',
    ],
    [{ path: '.', delay_ms: 2_147_483_648 }, 'delay_ms must be from 0 to 2147483647'],
    [{ path: '.', cut: true, method: 'GE T' }, 'is not an HTTP method such as GET'],
  ])('%o is rejected', async (fault, words) => {
    await expect(own.control('fault', fault)).rejects.toThrow(words);
  });

  test('rejects the call like a broken connection if no port is open', async () => {
    const emulator = createEmulator({ random: seededBytes(), controlToken: 'control' });
    const call = (path: string, body: object) =>
      emulator.fetch(
        new Request(`http://service.test${path}`, {
          method: 'POST',
          headers: { authorization: 'Bearer control', 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      );
    await call('/_emulator/fault', { path: '.', close: 'before' });
    await expect(call('/anything', {})).rejects.toThrow(TypeError);
    expect((await call('/anything', {})).status).toBe(404);
    emulator.close();
  });
});
