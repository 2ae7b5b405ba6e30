import { describe, expect } from 'vitest';
import { rule, rules, START } from '../../subject.ts';
import { formOf, send, SUCCESS } from '../../wire.ts';

const MINUTE = 60;

describe('Endpoints: files of a row', () => {
  rules(
    'a %s row without files lists []',
    [['context'], ['location'], ['member'], ['member_location']] as const,
    async ({ launch }, row) => {
      const staff = await launch({ role: 'instructor' });
      const answer = await staff.get(staff.files(row));
      expect([answer.status, answer.json()]).toEqual([200, []]);
    },
  );

  rule(
    'an uploaded file is listed with key, size and modified only',
    async ({ launch }) => {
      const student = await launch();
      expect((await student.upload('member', 'b.txt', 'hello')).status).toEqual(SUCCESS);
      expect((await student.upload('member', 'a.txt', 'x')).status).toEqual(SUCCESS);
      expect((await student.get(student.files('member'))).json()).toEqual([
        { key: 'a.txt', size: 1, modified: START },
        { key: 'b.txt', size: 5, modified: START },
      ]);
    },
    ['fields', 'listing'],
  );

  rule(
    'a single file has its record and an address that is valid for a few minutes',
    async ({ launch }) => {
      const student = await launch();
      await student.upload('member', 'b.txt', 'hello');
      const record = (await student.get(student.file('member', 'b.txt'))).json();
      expect(record).toEqual({
        key: 'b.txt',
        size: 5,
        modified: START,
        content_type: 'text/plain',
        url: expect.stringMatching(/^http:/),
        expires: expect.any(Number),
      });
      expect(record.expires - START).toBeGreaterThanOrEqual(2 * MINUTE * 1000);
      expect(record.expires - START).toBeLessThanOrEqual(15 * MINUTE * 1000);
    },
    ['fields'],
  );

  rule('a missing file is 404 on GET and 204 on DELETE', async ({ launch }) => {
    const student = await launch();
    expect((await student.get(student.file('member', 'none'))).status).toBe(404);
    const deleted = await student.call('DELETE', student.file('member', 'none'));
    expect([deleted.status, deleted.text]).toEqual([204, '']);
  });

  rule('a deleted file cannot be found', async ({ launch }) => {
    const student = await launch();
    await student.upload('member', 'a', 'x');
    const { url } = (await student.get(student.file('member', 'a'))).json();
    expect((await student.call('DELETE', student.file('member', 'a'))).status).toBe(204);
    expect((await student.get(student.file('member', 'a'))).status).toBe(404);
    expect((await student.get(student.files('member'))).json()).toEqual([]);
    expect((await send('GET', url)).status).toBe(404);
  });

  rule('writing to a key replaces its file once the upload is complete', async ({ launch }) => {
    const student = await launch();
    await student.upload('member', 'a', 'old');
    const form = (
      await student.call('PUT', student.file('member', 'a'), { json: { size: 6 } })
    ).json();
    const read = async () =>
      (await send('GET', (await student.get(student.file('member', 'a'))).json().url)).text;
    expect(await read()).toBe('old');
    expect((await send('POST', form.url, formOf(form.fields, 'newer!'))).status).toEqual(SUCCESS);
    expect(await read()).toBe('newer!');
    expect((await student.get(student.files('member'))).json()).toHaveLength(1);
  });

  rule('the same key in two rows refers to two files', async ({ launch }) => {
    const student = await launch();
    await student.upload('member', 'a', 'one');
    await student.upload('member_location', 'a', 'other');
    expect((await student.get(student.file('member', 'a'))).json().size).toBe(3);
    expect((await student.get(student.file('member_location', 'a'))).json().size).toBe(5);
  });
});

describe('Declaration body of PUT', () => {
  rule(
    'returns an address on another origin and the fields of a form',
    async ({ launch }) => {
      const student = await launch();
      const answer = await student.call('PUT', student.file('member', 'a'), {
        json: { size: 25_000_000 },
      });
      expect(answer.status).toEqual(SUCCESS);
      const form = answer.json();
      expect(Object.keys(form).sort()).toEqual(['fields', 'url']);
      expect(new URL(form.url).origin).not.toBe(new URL(student.row('member')).origin);
      for (const value of Object.values(form.fields)) expect(typeof value).toBe('string');
      expect(form.fields.file).toBeUndefined();
      expect((await student.get(student.files('member'))).json()).toEqual([]);
    },
    ['fields'],
  );

  rules(
    'the type of a file is %s',
    [
      ['the declared one', 'a.png', { mimetype: 'text/x-own' }, 'text/x-own'],
      ['guessed from the filename', 'a.png', { filename: 'b.pdf' }, 'application/pdf'],
      [
        'guessed from the filename if mimetype is empty',
        'a',
        { mimetype: '', filename: 'b.json' },
        'application/json',
      ],
      ['guessed from the key without a filename', 'a.png', {}, 'image/png'],
      ['guessed from the key if the filename is empty', 'a.png', { filename: '' }, 'image/png'],
      ['application/octet-stream without a known extension', 'a', {}, 'application/octet-stream'],
    ] as const,
    async ({ launch }, _name, key, more, type) => {
      const student = await launch();
      await student.upload('member', key, 'x', more);
      const record = (await student.get(student.file('member', key))).json();
      expect(record.content_type).toBe(type);
      expect((await send('GET', record.url)).headers['content-type']).toBe(type);
    },
  );

  rules(
    'a download is served %s',
    [
      ['inline under its key', {}, /^inline; filename="a\.txt"/],
      ['as an attachment', { attachment: true }, /^attachment; filename="a\.txt"/],
      [
        'under its filename',
        { attachment: true, filename: 'my "é".txt' },
        /^attachment; filename="my ____?\.txt"; filename\*=UTF-8''my%20%22%C3%A9%22\.txt$/,
      ],
    ] as const,
    async ({ launch }, _name, more, disposition) => {
      const student = await launch();
      expect((await student.upload('member', 'a.txt', 'x', more)).status).toEqual(SUCCESS);
      const record = (await student.get(student.file('member', 'a.txt'))).json();
      const answer = await send('GET', record.url);
      expect(answer.status).toBe(200);
      expect(answer.headers['content-disposition']).toMatch(disposition);
    },
  );
});
