/**
 * Permissions, grade submissions and the life of a token, as the tables of access.ts have them: asked of
 * the emulator over HTTP, of the validator and of the command line.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { decodeClaims } from '../../src/validator/index.ts';
import { byId, type Launch, rule, type Subject, subjectOf } from '../emulator/subject.ts';
import { type Answer, formOf, keyUrl, send, SUCCESS } from '../emulator/wire.ts';
import { serveSeeded } from '../support/emulator.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { atEnd } from '../support/scope.ts';
import {
  type Act,
  HOURS,
  LIVES,
  PERMISSIONS,
  REFUSED,
  type Submission,
  SUBMISSIONS,
  SUCCESSFUL,
} from './access.ts';

const ROWS = ['context', 'location', 'member', 'member_location'] as const;

const act = (control: Subject['control'], [path, body]: Act) => control(path as 'clock', body);
const advance = (control: Subject['control'], seconds: number) =>
  control('clock', { advance_seconds: seconds });
const statusesOf = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status);
const alive = async (launch: Launch): Promise<number> =>
  (await launch.get(launch.row('member'))).status;

describe('Authentication, 4: data permissions', () => {
  rule('are those of the table, and the validator knows them', async ({ launch }) => {
    for (const { by, of, rows, read, write } of PERMISSIONS) {
      const name = JSON.stringify({ by, of });
      const [caller, owner] = [await launch(by), await launch(of ?? by)];
      for (const row of rows) {
        const [url, files] = [owner.row(row), owner.files(row)];
        const file = keyUrl(files, 'a.txt');
        const reads = statusesOf([await caller.get(url), await caller.get(files)]);
        const writes = statusesOf([
          await caller.put(url, {}),
          await caller.patch(url, [{ op: 'add', path: '/a', value: 1 }]),
          await caller.call('PUT', file, { json: { size: 1 } }),
          await caller.call('DELETE', file),
        ]);
        const read200 = [200, 200].map((status) => read ?? status);
        const written = [204, 204, SUCCESS, 204].map((status) => write ?? status);
        expect([name, row, ...reads, ...writes]).toEqual([name, row, ...read200, ...written]);
        if (of !== undefined) continue;
        const permitted = decodeClaims(caller.claims as never).permissions.flatMap((each) =>
          each.row === row && each.allowed ? [each.action as string] : [],
        );
        const rights = ['read_row', 'read_files', ...(write ? [] : ['write_row', 'write_files'])];
        expect([name, row, permitted]).toEqual([name, row, expect.arrayContaining(rights)]);
        expect([name, row, permitted.includes('write_row')]).toEqual([name, row, !write]);
      }
    }
  });

  test('decide how lectern storage exits', async () => {
    const served = await serveSeeded();
    atEnd(served.close);
    const { launch } = subjectOf(served);
    const exits = { 200: EXIT.done, 403: EXIT.forbidden, 404: EXIT.notFound };
    const cwd = temporaryFolder();
    for (const { by, of, rows, read = 200, write = 200 } of PERMISSIONS) {
      const [{ claims }, owner, row] = [await launch(by), await launch(of ?? by), rows[0]];
      if (row === undefined) continue;
      const storage = { ...claims.storage, [row]: owner.row(row) };
      writeFileSync(join(cwd, 'launch.json'), JSON.stringify({ ...claims, storage }));
      const run = (...words: string[]) =>
        lectern(['storage', ...words, '--launch', 'launch.json'], { cwd, input: '{}' });
      const ends = [await run('get', row), await run('put', row, '--yes')];
      // What a PUT replaces is read before.
      const expected = [exits[read], exits[read === 200 ? write : read]];
      expect([by, of, ...ends.map(({ exit }) => exit)]).toEqual([by, of, ...expected]);
    }
  });

  rule(
    'of one user in two courses are those of each',
    async ({ launch, control }) => {
      const here = await launch({ member: 'member-101' });
      const there = await launch({ member: 'member-301' });
      await there.call('PUT', there.claims.provision.context);
      expect((await here.put(there.row('context'), { a: 1 })).status).toBe(204);
      await control('member/remove', { member: 'member-301' });
      expect((await here.get(there.row('context'))).status).toBe(403);
      expect((await here.get(here.row('context'))).status).toBe(200);
    },
    ['finishers'],
  );

  rule('a URL that does not exist is 404', async ({ launch }) => {
    const staff = await launch({ role: 'instructor' });
    for (const row of ROWS) {
      const url = staff.row(row);
      const damages = [
        url.replace(/(biology-101|essay-1|member-101)/, '$1x'),
        url.replace('row', 'rows'),
        `${url}x`,
        url.replace('%2F', '/').replace('%3A', ':').replace('/locations/', '/locations//'),
      ];
      // Not every address has something to decode.
      for (const damaged of damages.filter((each) => each !== url)) {
        expect([damaged, (await staff.get(damaged)).status]).toEqual([damaged, 404]);
      }
    }
  });
});

describe('Errors, Storage and files: 401', () => {
  rule('no token, an unknown one and an API key are refused', async ({ launch, control }) => {
    const staff = await launch({ role: 'instructor' });
    const { storage, files, provision } = staff.claims;
    const { tools } = await control('state');
    for (const token of [undefined, 'lt_nobody', byId(tools, 'essay').api_key]) {
      const urls = [...Object.values<string>(storage), ...Object.values<string>(files)];
      const answers = await Promise.all([
        ...urls.map((url) => staff.call('GET', url, { token })),
        staff.call('PUT', provision.context, { token }),
      ]);
      expect([token, ...statusesOf(answers)]).toEqual([token, ...answers.map(() => 401)]);
    }
  });

  rule('only the Bearer scheme is accepted', async ({ launch }) => {
    const student = await launch();
    const { token } = student;
    const headers = [`Basic ${token}`, token, 'Bearer', `bearer ${token}`];
    const answers = headers.map((authorization) =>
      student.call('GET', student.row('member'), { headers: { authorization } }),
    );
    expect(statusesOf(await Promise.all(answers))).toEqual([401, 401, 401, 200]);
  });

  rule(
    'comes before 404, 422 unprovisioned, 403 and 422 for the body',
    async ({ launch }) => {
      const student = await launch({ course: 'biology-102' });
      const url = student.row('context');
      const nowhere = url.replace('biology-102', 'nowhere');
      const call = (to: string, token: string) => student.call('PUT', to, { token, body: '[' });
      expect((await call(nowhere, 'nobody')).status).toBe(401);
      expect((await call(`${url}/more`, 'nobody')).status).toBe(401);
      expect((await call(`${url}/more`, student.token)).status).toBe(404);
      expect((await call(nowhere, student.token)).status).toBe(404);
      expect((await call(url, student.token)).message).toMatch(/not provisioned/);
      await student.call('PUT', student.claims.provision.context);
      expect((await call(url, student.token)).status).toBe(403);
    },
    ['messages', 'refusals', 'finishers'],
  );
});

describe('Authentication: grade submission', () => {
  /** The token of a submission: of a launch, a tool's API key, or as it is. */
  async function tokenOf(service: Subject, by: Submission['by']): Promise<string | undefined> {
    if ('key' in by) return byId((await service.control('state')).tools, by.key).api_key;
    if (!('token' in by)) return (await service.launch(by)).token;
    return by.token === '$provision' ? (await service.provisionRequest()).token : by.token;
  }

  rule('ends as the table has it, and a refusal records nothing', async (service) => {
    const { launch, control, isRead } = service;
    for (const { by, of, change: [from, to] = ['', ''], before, ...expected } of SUBMISSIONS) {
      if (!(expected.readings ?? []).every(isRead)) continue;
      const owner = await launch(of ?? { member: 'member-111' });
      const token = await tokenOf(service, by);
      if (before) await act(control, before);
      const { attempts } = await control('state');
      const url = owner.submit.replace(from, to);
      const answer = await owner.call('POST', url, { token, json: { score: 1 } });
      const label = JSON.stringify({ by, of, from, to, before });
      expect([label, answer.status]).toEqual([label, expected.status]);
      if (expected.status === 200) expect(answer.json()).toMatchObject(expected.attempt ?? {});
      else expect((await control('state')).attempts).toEqual(attempts);
      // In lectern's envelope, a code is alone.
      if (expected.message === '') expect(answer.message).toMatch(/^(auth\.not_this_member)?$/);
      else if (expected.message !== undefined) expect(answer.message).toBe(expected.message);
      if (before) await control('reset', {});
    }
  });

  rule('a rotated API key is unknown, and the new one is accepted', async (service) => {
    const student = await service.launch();
    const post = async (token: string | undefined) => {
      const answer = await student.call('POST', student.submit, { token, json: { score: 1 } });
      return answer.status === 200 ? 200 : [answer.status, answer.message];
    };
    const old = await tokenOf(service, { key: 'essay' });
    await service.control('tool', { tool: 'essay', action: 'rotate-key' });
    expect(await post(old)).toEqual([401, 'Invalid API key']);
    expect(await post(await tokenOf(service, { key: 'essay' }))).toBe(200);
  });
});

describe('States: launch token', () => {
  rule('is valid or has ended as the table has it', async ({ launch, control, isRead }) => {
    for (const { launch: request, acts, isLast = false, ...expected } of LIVES) {
      if (!(expected.readings ?? []).every(isRead)) continue;
      await control('reset', {});
      const one = await launch(request);
      for (const [path, body] of acts) {
        const filled = JSON.parse(JSON.stringify(body).replace('$token', one.token)) as object;
        await act(control, [path, filled]);
      }
      const answers = [
        await one.get(one.row('member')),
        await one.get(one.files('member')),
        await one.grade({ score: 1 }),
      ];
      const name = JSON.stringify({ request, acts });
      for (const { status, message } of answers) {
        expect([name, status]).toEqual([name, expected.status]);
        if (expected.message !== undefined) expect(message).toBe(expected.message);
      }
      const again = await launch(request).then(alive, (error: Error) => error.message);
      expect([name, again]).toEqual([name, isLast ? expect.stringContaining('404') : 200]);
    }
  });

  rule('lives 12 hours more after each successful call, and no other', async (service) => {
    const { launch, control } = service;
    for (const [name, call] of Object.entries(SUCCESSFUL)) {
      const staff = await launch({ role: 'instructor', location: 'essay-1' });
      await advance(control, 11 * HOURS);
      expect([name, (await call(staff)).status]).toEqual([name, SUCCESS]);
      await advance(control, 11 * HOURS);
      expect([name, await alive(staff)]).toEqual([name, 200]);
    }
    for (const [name, call] of Object.entries(REFUSED)) {
      const student = await launch();
      await advance(control, 11 * HOURS);
      expect([name, (await call(student)).status]).toEqual([name, Number.parseInt(name, 10)]);
      await advance(control, HOURS + 0.001);
      expect([name, await alive(student)]).toEqual([name, 401]);
    }
  });

  rule('does not live on by calls of signed addresses', async ({ launch, control }) => {
    const student = await launch();
    await student.upload('member', 'a.txt', 'hello');
    const { url } = (await student.get(student.file('member', 'a.txt'))).json();
    const declared = student.call('PUT', student.file('member', 'b'), { json: { size: 1 } });
    const form = (await declared).json();
    await advance(control, 60);
    expect((await send('GET', url)).status).toBe(200);
    expect((await send('POST', form.url, formOf(form.fields, 'x'))).status).toEqual(SUCCESS);
    await advance(control, 12 * HOURS - 59);
    expect(await alive(student)).toBe(401);
  });

  rule(
    'has its lifetime in api.expires and api.idle',
    async ({ launch }) => {
      const { expires, idle } = (await launch()).claims.api;
      expect(expires).toBeGreaterThan(0);
      expect(idle).toBe(12 * HOURS);
    },
    ['expires', 'idle'],
  );
});
