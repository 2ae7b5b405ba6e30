import { describe, expect, test } from 'vitest';
import { type Answers, EXAMPLE_SEED } from '../../../src/emulator/index.ts';
import { emulated, emulatedOnce, START, type Subject } from '../subject.ts';
import { send } from '../wire.ts';

const own = emulatedOnce();

const traffic = async () => (await own.control('requests')).requests;

describe('the traffic', () => {
  test('lists each request with its response in order, without control requests', async () => {
    await own.student.put(own.student.row('member'), { a: 1 });
    await own.student.get(own.student.row('member'));
    await own.student.put(own.student.row('context'), {});
    await send('GET', `${own.served.url}/apps/me`);
    expect(await traffic()).toMatchObject([
      { method: 'PUT', status: 204, credential: 'launch_token', bytes: 0, error: null },
      { method: 'GET', status: 200, bytes: 7, time: new Date(START).toISOString() },
      { method: 'PUT', status: 403, error: 'the user is not allowed to write this context row' },
      { method: 'GET', status: 404, path: '/apps/me', credential: null, launch_id: null },
    ]);
    const [first] = await traffic();
    expect(first).toMatchObject({ launch_id: own.student.claims.launch_id, origin: 'api' });
    expect(`${own.served.url}${String(first?.path)}`).toBe(own.student.row('member'));
  });

  test('names the kind of credential', async () => {
    const { tools } = await own.control('state');
    const provision = await own.provisionRequest();
    const url = own.student.row('member');
    for (const token of [String(tools[0]?.api_key), provision.token, 'nonsense']) {
      await send('GET', url, { token });
    }
    expect((await traffic()).map(({ credential }) => credential)).toEqual([
      'api_key',
      'provision_token',
      'unknown',
    ]);
  });

  describe('contains no secret', () => {
    // The tests of the redaction have all spellings.
    const SPELLINGS: Readonly<Record<string, (secret: string) => string>> = {
      'within a word': (secret) => `x${secret}`,
      'in the claims of a JSON Web Token': (secret) =>
        `e30.${Buffer.from(`{"api":{"token":"${secret}"}}`).toString('base64url')}.c2ln`,
    };

    type Shown = Answers['GET request'];
    const tool = { id: 'tool-1', api_key: 'a-key/of~the+seed' };
    const seed = { ...EXAMPLE_SEED, tools: [...EXAMPLE_SEED.tools, tool] };

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
        const subject = await emulated({ seed });
        for (const secret of await secretsOf(subject)) {
          const spelled = spell(secret);
          await send('POST', `${subject.served.url}/cb?code=${spelled}&state=1`, {
            headers: { 'x-echo': spelled },
            body: JSON.stringify({ echo: spelled }),
          });
          const latest = (await subject.control('requests')).requests.at(-1);
          const shown = await subject.operate('GET', `request?number=${latest?.number}`);
          const whole = shown.json<Shown>();
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
    await send('GET', `${own.served.url}/${'x'.repeat(8000)}`);
    expect(String((await traffic())[0]?.path)).toHaveLength(2000);
  });
});
