import { describe, expect } from 'vitest';
import { isObserved, rule, type Launch, type Subject } from '../../subject.ts';
import { formOf, SUCCESS, send } from '../../wire.ts';

interface Form {
  url: string;
  fields: Record<string, string>;
}

async function declare(launch: Launch, size: number, key = 'a.txt'): Promise<Form> {
  const answer = await launch.call('PUT', launch.file('member', key), { json: { size } });
  return answer.json();
}

/** A rule of the form for a file of 5 bytes. */
const formRule = (
  name: string,
  check: (form: Form, student: Launch, subject: Subject) => Promise<void>,
): void =>
  rule(name, async (subject) => {
    const student = await subject.launch();
    await check(await declare(student, 5), student, subject);
  });

const post = (form: Form, file: string | undefined = 'hello', fields: object = form.fields) =>
  send('POST', form.url, formOf(fields as Record<string, string>, file));

async function isThere(launch: Launch): Promise<boolean> {
  return (await launch.get(launch.file('member', 'a.txt'))).status === 200;
}

describe('Upload sequence', () => {
  rule('stores any bytes unchanged', async ({ launch }) => {
    const student = await launch();
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7919) % 256));
    bytes.write('\r\n--xYzBoundary', 1000);
    const stored = await student.upload('member', 'a.txt', bytes);
    expect([stored.status, stored.text]).toEqual([SUCCESS, '']);
    const { url } = (await student.get(student.file('member', 'a.txt'))).json();
    expect((await send('GET', url)).bytes.equals(bytes)).toBe(true);
  });

  rule(
    'an empty file can be uploaded',
    async ({ launch }) => {
      const student = await launch();
      expect((await student.upload('member', 'a.txt', '')).status).toEqual(SUCCESS);
      const record = (await student.get(student.file('member', 'a.txt'))).json();
      expect(record.size).toBe(0);
      expect((await send('GET', record.url)).bytes).toHaveLength(0);
    },
    ['empty_files'],
  );

  formRule('a file of another size is rejected, and nothing is stored', async (form, student) => {
    for (const [file, code] of [
      ['hello!', 'EntityTooLarge'],
      ['hell', 'EntityTooSmall'],
      ['', 'EntityTooSmall'],
    ]) {
      const answer = await post(form, file);
      expect([file, answer.status, answer.text]).toEqual([
        file,
        400,
        expect.stringContaining(code ?? ''),
      ]);
      expect(await isThere(student)).toBe(false);
    }
    expect((await post(form)).status).toEqual(SUCCESS);
  });

  formRule('each field must be sent, unchanged and before the file', async (form, student) => {
    expect(Object.keys(form.fields).length).toBeGreaterThan(2);
    for (const [name, value] of Object.entries(form.fields)) {
      const { [name]: _, ...rest } = form.fields;
      const missing = await post(form, 'hello', rest);
      expect([name, missing.status]).toEqual([name, 403]);
      expect(missing.text).toContain('AccessDenied');
      const changed = await post(form, 'hello', { ...form.fields, [name]: `${value}x` });
      const late = await send('POST', form.url, formOf(rest, 'hello', [[name, value]]));
      expect([name, changed.status, late.status]).toEqual([name, 403, 403]);
    }
    expect(await isThere(student)).toBe(false);
  });

  formRule('no other field may be sent, before or after the file', async (form, student) => {
    expect((await post(form, 'hello', { ...form.fields, acl: 'public' })).status).toBe(403);
    const after = await send('POST', form.url, formOf(form.fields, 'hello', [['acl', 'public']]));
    expect(after.status).toBe(400);
    expect(await isThere(student)).toBe(false);
  });

  formRule('too many or too long fields are rejected unread', async (form, student) => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`f${index}`, 'x']));
    const long = { 'x-long': 'x'.repeat(30_000) };
    for (const fields of [
      { ...many, ...form.fields },
      { ...form.fields, ...long },
    ]) {
      const { status, text } = await post(form, 'hello', fields);
      expect([status, text]).toEqual([400, expect.stringContaining('MaxPostPreDataLength')]);
    }
    const after = await send('POST', form.url, formOf(form.fields, 'hello', Object.entries(many)));
    expect(after.status).toBe(400);
    expect(await isThere(student)).toBe(false);
    expect((await post(form)).status).toEqual(SUCCESS);
  });

  formRule('a form can be used for one upload', async (form) => {
    const both = await Promise.all([post(form), post(form)]);
    expect(both.map(({ status }) => status).sort()).toEqual([SUCCESS, 403]);
    expect((await post(form)).status).toBe(403);
  });

  formRule('a form is valid for a few minutes', async (form, student, { control }) => {
    await control('clock', { advance_seconds: 60 });
    const late = await declare(student, 5);
    await control('clock', { advance_seconds: 14 * 60 });
    const answer = await post(form);
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('expired');
    expect((await post(late)).status).toBe(403);
    expect(await isThere(student)).toBe(false);
  });

  formRule('a bearer token is rejected', async (form, student) => {
    const { headers, body } = formOf(form.fields, 'hello');
    const sent = { headers: { ...headers, authorization: `Bearer ${student.token}` }, body };
    expect((await send('POST', form.url, sent)).status).toBe(isObserved ? 421 : 400);
    expect(await isThere(student)).toBe(false);
  });

  formRule('a body that is no form, or has no file, is rejected', async (form, student) => {
    const multipart = 'multipart/form-data; boundary=b';
    for (const [type, body] of [
      ['text/plain', 'hello'],
      ['multipart/form-data', 'hello'],
      [multipart, ''],
      [multipart, '--b\r\nContent-Dis'],
      [multipart, '--b--\r\n'],
    ] as const) {
      const { status } = await send('POST', form.url, { headers: { 'content-type': type }, body });
      expect([type, body, Math.floor(status / 100)]).toEqual([type, body, 4]);
    }
    expect(await isThere(student)).toBe(false);
  });

  formRule('a form that ends inside the file is rejected', async (form, student) => {
    const { headers, body } = formOf(form.fields, 'hello');
    for (const end of [body.length - 20, body.length - 22, body.length - 30]) {
      const answer = await send('POST', form.url, { headers, body: body.subarray(0, end) });
      expect(answer.status).toBe(400);
    }
    expect(await isThere(student)).toBe(false);
    expect((await post(form)).status).toEqual(SUCCESS);
  });
});

describe('Signed download addresses', () => {
  rule(
    'answer GET and HEAD without a token, with the properties of the record',
    async ({ launch }) => {
      const student = await launch();
      await student.upload('member', 'a.txt', 'hello');
      const { url } = (await student.get(student.file('member', 'a.txt'))).json();
      const [get, head] = [await send('GET', url), await send('HEAD', url)];
      expect([get.status, get.text]).toEqual([200, 'hello']);
      expect([head.status, head.bytes.length]).toEqual([200, 0]);
      expect(head.headers['content-length']).toBe('5');
      expect((await send('PUT', url, { body: 'x' })).status).toBe(405);
      const bearer = await send('GET', url, { token: student.token });
      expect(bearer.status).toBe(isObserved ? 421 : 400);
    },
  );

  rule('are valid until expires', async ({ launch, control }) => {
    const student = await launch();
    await student.upload('member', 'a.txt', 'hello');
    const { url, expires } = (await student.get(student.file('member', 'a.txt'))).json();
    await control('clock', { set: new Date(expires - 1).toISOString() });
    expect((await send('GET', url)).status).toBe(200);
    await control('clock', { set: new Date(expires).toISOString() });
    expect((await send('GET', url)).status).toBe(403);
    const again = (await student.get(student.file('member', 'a.txt'))).json();
    expect((await send('GET', again.url)).status).toBe(200);
  });

  rule('are rejected if they are changed', async ({ launch }) => {
    const student = await launch();
    await student.upload('member', 'a.txt', 'hello');
    const { url, expires } = (await student.get(student.file('member', 'a.txt'))).json();
    const changes: [string | RegExp, string][] = [
      [String(expires), String(expires + 1)],
      [/(signature=.*?)[^&](?=&|$)/, '$1'],
      ['a.txt', 'b.txt'],
    ];
    for (const [part, other] of changes) {
      const changed = url.replace(part, other);
      expect(changed).not.toBe(url);
      expect((await send('GET', changed)).status).toBe(isObserved ? 421 : 403);
    }
    const unsigned = await send('GET', url.replace(/\?.*/, ''));
    expect(unsigned.status).toBe(isObserved ? 421 : 404);
  });
});
