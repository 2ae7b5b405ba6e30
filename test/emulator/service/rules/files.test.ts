import { describe, expect } from 'vitest';
import { rule, START } from '../../subject.ts';
import { formOf, send, SUCCESS } from '../../wire.ts';

describe('Endpoints: files of a row', () => {
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

  rule('a deleted file cannot be found, and can be deleted again', async ({ launch }) => {
    const student = await launch();
    await student.upload('member', 'a', 'x');
    const file = student.file('member', 'a');
    const { url } = (await student.get(file)).json();
    for (let times = 0; times < 2; times++) {
      const deleted = await student.call('DELETE', file);
      expect([deleted.status, deleted.text]).toEqual([204, '']);
      expect((await student.get(file)).status).toBe(404);
      expect((await student.get(student.files('member'))).json()).toEqual([]);
      expect((await send('GET', url)).status).toBe(404);
    }
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
      // `curl -F NAME=VALUE` ends a value at a semicolon.
      for (const value of Object.values(form.fields)) expect(value).toMatch(/^[^;]*$/);
      expect(form.fields.file).toBeUndefined();
      expect((await student.get(student.files('member'))).json()).toEqual([]);
    },
    ['fields'],
  );

  rule('the type of a file is declared, or guessed', async ({ launch }) => {
    const student = await launch();
    const cases: [key: string, declared: object, type: string][] = [
      ['a.png', { mimetype: 'text/x-own' }, 'text/x-own'],
      ['a.png', { filename: 'b.pdf' }, 'application/pdf'],
      ['a', { mimetype: '', filename: 'b.json' }, 'application/json'],
      ['a.png', {}, 'image/png'],
      ['a.png', { filename: '' }, 'image/png'],
      ['a', {}, 'application/octet-stream'],
    ];
    for (const [key, declared, type] of cases) {
      await student.upload('member', key, 'x', declared);
      const { content_type: found, url } = (await student.get(student.file('member', key))).json();
      const served = (await send('GET', url)).headers['content-type'];
      expect([key, declared, found, served]).toEqual([key, declared, type, type]);
    }
  });

  rule('a download is served inline or as an attachment, under its name', async ({ launch }) => {
    const student = await launch();
    const cases: [declared: object, disposition: RegExp][] = [
      [{}, /^inline; filename="a\.txt"/],
      [{ attachment: true }, /^attachment; filename="a\.txt"/],
      [
        { attachment: true, filename: 'my "é".txt' },
        /^attachment; filename="my ____?\.txt"; filename\*=UTF-8''my%20%22%C3%A9%22\.txt$/,
      ],
    ];
    for (const [declared, disposition] of cases) {
      expect((await student.upload('member', 'a.txt', 'x', declared)).status).toEqual(SUCCESS);
      const { url } = (await student.get(student.file('member', 'a.txt'))).json();
      const answer = await send('GET', url);
      expect(answer.status).toBe(200);
      expect(answer.headers['content-disposition']).toMatch(disposition);
    }
  });
});
