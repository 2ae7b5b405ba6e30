import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/lectern.ts';
import { emulated, type Emulated } from '../subject.ts';
import { send } from '../wire.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** An emulator that a tool has called, and its session in a file. */
async function lived(query = '') {
  const from = await emulated();
  await from.control('clock', { advance_seconds: 3600 });
  const staff = await from.launch({ role: 'instructor' });
  await staff.put(staff.row('context'), { text: 'kept', pasted: staff.token });
  await staff.put(staff.row('context'), { text: 'later' });
  await staff.upload('member', 'essay.txt', 'the bytes of a file');
  const declared = { size: 3, filename: `${staff.token}.txt` };
  await staff.call('PUT', staff.file('member', 'open.txt'), { body: JSON.stringify(declared) });
  await staff.grade({ score: 0.5, comment: 'good' });
  await staff.get(`${staff.row('context')}/built`);
  const { hosted, world } = from.served.emulator.state;
  for (const tool of world.tools.all("id = 'essay'")) {
    world.tools.put({ ...tool, callback: 'http://127.0.0.1:9/launch?secret=of-callback' });
  }
  hosted.tickets.put({
    ticket: 'ticket-of-launch',
    launch_id: staff.claims.launch_id,
    tool: 'essay',
    version: 1,
  });
  const { bytes } = await from.operate('GET', `export${query}`);
  const file = join(temporaryFolder(), 'session.db');
  writeFileSync(file, bytes);
  return { from, staff, file };
}

/** What people look at in a session. */
async function looks({ control }: Emulated) {
  const { findings, coverage } = await control('report');
  const { requests, ...counts } = await control('requests');
  const [first] = (await control('state')).attempts;
  const row = 'row/versions?row=context/essay/biology-101';
  const { versions } = await control(row as 'row/versions');
  const { captured } = await control('request?number=1' as 'request');
  return { findings, coverage, requests, counts, first, versions, captured };
}

test('a session is opened with its traffic, its report and its clock', async () => {
  const { from, staff, file } = await lived();
  const session = await emulated({ session: file, now: () => Date.now() + 2 * DAY_MS });
  expect(await looks(session)).toEqual(await looks(from));
  // The token is as live as it was.
  const url = staff.row('context').replace(from.served.url, session.served.url);
  expect((await send('GET', url, { token: staff.token })).text).toBe('{"text":"later"}');
});

test('changes to an open session go to a copy, and the file stays as it is', async () => {
  const { file } = await lived();
  const before = readFileSync(file);
  for (let times = 0; times < 2; times++) {
    const session = await emulated({ session: file });
    const staff = await session.launch({ role: 'instructor' });
    expect((await staff.get(staff.row('context'))).text).toBe('{"text":"later"}');
    await staff.put(staff.row('context'), { changed: true });
    await session.served.close();
  }
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('an import has the traffic of the session, and numbers what follows after it', async () => {
  const { from, file } = await lived();
  const to = await emulated();
  const student = await to.launch();
  for (let times = 0; times < 20; times++) await student.get(student.row('member'));
  await to.operate('POST', 'import', { body: readFileSync(file) });
  expect((await looks(to)).findings).toEqual((await looks(from)).findings);
  const { requests, total } = await to.control('requests');
  expect(requests).toEqual((await from.control('requests')).requests);
  const again = await to.launch();
  await again.get(again.row('member'));
  const more = await to.control('requests');
  expect([more.requests.at(-1)?.number, more.total]).toEqual([21, total + 1]);
});

test('files of a seed are read at the start alone, whatever a session or a reset names', async () => {
  const path = join(temporaryFolder(), 'notes.txt');
  writeFileSync(path, 'bytes');
  const rows = [{ row: 'member/t/m', files: [{ key: 'n.txt', size: 5, path }] }];
  const courses = [{ id: 'c', members: [{ id: 'm' }], locations: [{ id: 'l', tool: 't' }] }];
  const seed = { tools: [{ id: 't' }], courses, rows };
  const downloaded = async ({ launch }: Emulated): Promise<string> => {
    const student = await launch();
    const { url } = (await student.get(student.file('member', 'n.txt'))).json();
    return (await send('GET', url)).text;
  };
  const from = await emulated({ seed });
  writeFileSync(path, 'other');
  await from.control('reset', {});
  expect(await downloaded(from)).toBe('bytes');
  const stranger = await emulated();
  stranger.served.emulator.state.settings.put({ name: 'seed', value: seed });
  const longer = await emulated();
  longer.served.emulator.state.settings.put({ name: 'seed', value: seed });
  const kept = (write: (chunk: Uint8Array) => Promise<void>) => write(Buffer.from('longer'));
  await longer.served.emulator.state.blobs.store('seed/member/t/m/n.txt', kept);
  for (const [session, content] of [
    [from, 'bytes'],
    [stranger, '\0'.repeat(5)],
    [longer, '\0'.repeat(5)],
  ] as const) {
    const to = await emulated();
    const { bytes } = await session.operate('GET', 'export');
    await to.operate('POST', 'import', { body: bytes });
    await to.control('reset', {});
    expect(await downloaded(to)).toBe(content);
  }
});

test('a redacted session shows the same, and gives no access', async () => {
  const { from, staff, file } = await lived('?redact=true');
  const { tools, members } = await from.control('state');
  const before = await looks(from);
  const form = (await staff.put(staff.file('member', 'more.txt'), { size: 3 })).json();
  const { url } = (await staff.get(staff.file('member', 'essay.txt'))).json();
  const signature = String(new URL(url).searchParams.get('signature'));
  const bytes = readFileSync(file);
  const secrets = [
    staff.token,
    ...tools.map(({ api_key: key }) => key).filter((key) => key !== ''),
    String(form.fields['x-blob-signature']),
    signature,
    ...members.flatMap(({ email, lms_user: lms, family_name: family }) => [email, lms, family]),
    'the bytes of a file',
    'of-callback',
    'ticket-of-launch',
  ];
  expect(secrets.filter((secret) => bytes.includes(secret))).toEqual([]);

  const session = await emulated({ session: file });
  expect(await looks(session)).toEqual({
    ...before,
    requests: before.requests.map((each) =>
      Object.assign(each, {
        caller_name: each.caller_name && 'Person 1',
        member_name: each.member_name && 'Person 1',
      }),
    ),
    versions: before.versions.map((each) => Object.assign(each, { bytes: expect.any(Number) })),
    captured: expect.any(Object),
  });
  const same = (address: string): string => address.replace(from.served.url, session.served.url);
  for (const token of ['launch 1', staff.token, ...tools.map(({ api_key: key }) => key || 'x')]) {
    expect((await send('GET', same(staff.row('context')), { token })).status).toBe(401);
  }
  const blob = url.replace(
    new URL(from.served.blobUrl).origin,
    new URL(session.served.blobUrl).origin,
  );
  expect((await send('GET', blob)).status).toBe(403);
  // New launches work, and new keys.
  expect((await session.control('key', {})).api_key).toMatch(/^key_/);
  const launch = await session.launch({ role: 'instructor' });
  expect((await launch.get(launch.row('context'))).text).toBe('{"text":"later"}');
});
