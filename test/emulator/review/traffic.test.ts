import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Answers, EXAMPLE_SEED, type Served } from '../../../src/emulator/index.ts';
import { serveSeeded } from '../../support/emulator.ts';
import { START, subjectOf, type Launch, type Subject } from '../subject.ts';
import { send } from '../wire.ts';

let served: Served;
let control: Subject['control'];
let student: Launch;

beforeAll(async () => {
  served = await serveSeeded({ controlToken: 'control', pid: 1, now: () => START });
  ({ control } = subjectOf(served));
});
beforeEach(async () => {
  await control('reset', {});
  student = await subjectOf(served).launch();
});
afterAll(() => served.close());

const traffic = async () => (await control('requests')).requests;

describe('the traffic', () => {
  test('lists each request with its response in order, without control requests', async () => {
    await student.put(student.row('member'), { a: 1 });
    await student.get(student.row('member'));
    await student.put(student.row('context'), {});
    await send('GET', `${served.url}/apps/me`);
    expect(await traffic()).toMatchObject([
      { method: 'PUT', status: 204, credential: 'launch_token', bytes: 0, error: null },
      { method: 'GET', status: 200, bytes: 7, time: new Date(START).toISOString() },
      { method: 'PUT', status: 403, error: 'the user is not allowed to write this context row' },
      { method: 'GET', status: 404, path: '/apps/me', credential: null, launch_id: null },
    ]);
    const [first] = await traffic();
    expect(first).toMatchObject({ launch_id: student.claims.launch_id, origin: 'api' });
    expect(`${served.url}${String(first?.path)}`).toBe(student.row('member'));
  });

  test('names the kind of credential', async () => {
    const { tools } = await control('state');
    const provision = await subjectOf(served).provisionRequest();
    const url = student.row('member');
    for (const token of [String(tools[0]?.api_key), provision.token, 'nonsense']) {
      await send('GET', url, { token });
    }
    expect((await traffic()).map(({ credential }) => credential)).toEqual([
      'api_key',
      'provision_token',
      'unknown',
    ]);
  });

  test('names the fault that was applied to a request', async () => {
    await control('fault', { path: '.', close: 'before' });
    await student.get(student.row('member')).catch(() => {});
    expect(await traffic()).toMatchObject([{ status: null, fault: 'close', bytes: 0 }]);
  });

  test('contains no token, key or signature', async () => {
    const account = await subjectOf(served).launch({ account: true });
    const key = (await control('state')).tools[0]?.api_key;
    await account.grade({ score: 1 });
    await student.upload('member', 'a.txt', 'hello');
    const { url } = (await student.get(student.file('member', 'a.txt'))).json();
    await send('GET', url);
    await send('GET', `${served.url}/leak?token=${student.token}&key=${key}`);
    const text = JSON.stringify(await traffic());
    const signature = new URL(url).searchParams.get('signature') as string;
    const check = new URL(account.submit).searchParams.get('check') as string;
    for (const secret of [student.token, account.token, key, signature, check]) {
      expect(text).not.toContain(secret);
    }
    expect(text).toContain('/account/v1/users/');
  });

  describe('contains no secret', () => {
    // The tests of the redaction have all spellings.
    const SPELLINGS: Readonly<Record<string, (secret: string) => string>> = {
      'within a word': (secret) => `x${secret}`,
      'in the claims of a JSON Web Token': (secret) =>
        `e30.${Buffer.from(`{"api":{"token":"${secret}"}}`).toString('base64url')}.c2ln`,
    };

    type Shown = Answers['GET request'];
    let emulator: Served;
    beforeAll(async () => {
      const tool = { id: 'tool-1', api_key: 'a-key/of~the+seed' };
      const seed = { ...EXAMPLE_SEED, tools: [...EXAMPLE_SEED.tools, tool] };
      emulator = await serveSeeded({ controlToken: 'control', pid: 1, seed });
    });
    afterAll(() => emulator.close());

    /** One of each kind, all of them live. */
    async function secretsOf(subject: Subject): Promise<string[]> {
      const [launch, provision] = [await subject.launch(), await subject.provisionRequest()];
      const keys = (await subject.control('state')).tools.map(({ api_key: key }) => key);
      await launch.upload('member', 'a.txt', 'hello');
      const { url } = (await launch.get(launch.file('member', 'a.txt'))).json();
      const signature = `signature=${new URL(url).searchParams.get('signature')}`;
      return [launch.token, provision.token, signature, ...keys.filter((key) => key !== '')];
    }

    for (const [name, spell] of Object.entries(SPELLINGS)) {
      test(`that is written ${name}, in a path, a header or a body`, async () => {
        const subject = subjectOf(emulator);
        for (const secret of await secretsOf(subject)) {
          const spelled = spell(secret);
          await send('POST', `${emulator.url}/cb?code=${spelled}&state=1`, {
            headers: { 'x-echo': spelled },
            body: JSON.stringify({ echo: spelled }),
          });
          const latest = (await subject.control('requests')).requests.at(-1);
          const shown = `${emulator.url}/_emulator/request?number=${latest?.number}`;
          const whole = (await send('GET', shown, { token: 'control' })).json<Shown>();
          expect(latest?.path).toMatch(/^\/cb\?code=.*….*&state=1$/);
          expect(whole.captured?.request.body?.text).toMatch(/^\{"echo":".*….*"\}$/);
          // The end of it, since the beginning of a token says of what kind it is.
          const end = JSON.stringify(spelled).slice(-20, -1);
          expect(JSON.stringify([latest, whole])).not.toContain(end);
        }
      });
    }
  });

  test('cuts a long path', async () => {
    await send('GET', `${served.url}/${'x'.repeat(8000)}`);
    expect(String((await traffic())[0]?.path)).toHaveLength(2000);
  });

  test('can be followed: stored requests first, then each new one', async () => {
    await student.get(student.row('member'));
    const headers = { authorization: 'Bearer control' };
    const stream = request(`${served.url}/_emulator/requests/follow`, { headers }).end();
    const lines = await new Promise<AsyncIterator<string>>((resolve) => {
      stream.once('response', (response) => {
        resolve(createInterface({ input: response })[Symbol.asyncIterator]());
      });
    });
    const next = async () => JSON.parse((await lines.next()).value) as { method: string };
    expect((await next()).method).toBe('GET');
    await student.put(student.row('member'), {});
    expect((await next()).method).toBe('PUT');
    await Promise.all([student.get(student.row('context')), student.get(student.row('location'))]);
    expect([(await next()).method, (await next()).method]).toEqual(['GET', 'GET']);
    stream.once('error', () => {});
    stream.destroy();
  });
});
