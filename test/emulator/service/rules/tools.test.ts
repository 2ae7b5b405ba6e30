import { describe, expect } from 'vitest';
import { LOCATIONS_MESSAGE_MAX_CHARACTERS } from '../../../../src/contract/index.ts';
import { rule, rules, type Subject } from '../../subject.ts';

type Control = Subject['control'];

const act = (control: Control, tool: string, action: string, more: object = {}) =>
  control('tool', { tool, action, ...more });

describe('Tool version visibility and review', () => {
  rule('a private version is current at once', async ({ launch, control }) => {
    const { tool } = await act(control, 'essay', 'publish', { visibility: 'private' });
    expect(tool).toMatchObject({ current: 2, versions: [{ number: 1 }, { state: 'published' }] });
    expect((await launch()).claims.version).toEqual({ number: 2, upgrade: null });
  });

  rules(
    'an %s version becomes current once it is approved',
    [['unlisted'], ['public']] as const,
    async ({ launch, control }, visibility) => {
      const { tool } = await act(control, 'essay', 'publish', { visibility });
      expect(tool).toMatchObject({ current: 1, versions: [{}, { state: 'in_review' }] });
      expect((await launch()).claims.version.number).toBe(1);
      await act(control, 'essay', 'approve', { version: 2 });
      expect((await launch()).claims.version.number).toBe(2);
      await expect(act(control, 'essay', 'approve', { version: 2 })).rejects.toThrow('in review');
    },
  );

  rule('only a deprecated version offers an upgrade', async ({ launch, control }) => {
    await control('adopt', { course: 'biology-101', tool: 'essay', code: '1' });
    await act(control, 'essay', 'publish', { visibility: 'private' });
    expect((await launch()).claims.version).toEqual({ number: 1, upgrade: null });
    await act(control, 'essay', 'deprecate', { version: 1 });
    expect((await launch()).claims.version).toEqual({ number: 1, upgrade: 2 });
    await control('adopt', { course: 'biology-101', tool: 'essay', code: 'current' });
    expect((await launch()).claims.version).toEqual({ number: 2, upgrade: null });
  });

  rule('a course can adopt the pilot version', async ({ launch, control }) => {
    await act(control, 'essay', 'publish', { visibility: 'public' });
    await act(control, 'essay', 'pilot', { version: 2 });
    await control('adopt', { course: 'biology-101', tool: 'essay', code: 'pilot' });
    expect((await launch()).claims.version).toEqual({ number: 2, upgrade: null });
  });

  rule('a sharing code of no version cannot be adopted', async ({ control }) => {
    for (const code of ['pilot', '7', 'newest']) {
      await expect(
        control('adopt', { course: 'biology-101', tool: 'essay', code }),
      ).rejects.toThrow(`no version ${code}`);
    }
  });

  rule(
    'new code of a hosted tool ends the tokens of the courses that run it, and no others',
    async ({ launch, control }) => {
      const hosted = await launch({ tool: 'sketch' });
      const external = await launch({ tool: 'essay' });
      const alive = async () => [
        (await hosted.get(hosted.row('member'))).status,
        (await external.get(external.row('member'))).status,
      ];
      await act(control, 'essay', 'publish', { visibility: 'private' });
      await act(control, 'sketch', 'publish', { visibility: 'public' });
      expect(await alive()).toEqual([200, 200]);
      expect((await act(control, 'sketch', 'approve', { version: 2 })).ended).toBe(1);
      expect(await alive()).toEqual([401, 200]);
    },
  );

  rule('a course with a fixed version number is not changed', async ({ launch, control }) => {
    await control('adopt', { course: 'biology-101', tool: 'sketch', code: '1' });
    const hosted = await launch({ tool: 'sketch' });
    const { ended } = await act(control, 'sketch', 'publish', { visibility: 'private' });
    expect(ended).toBe(0);
    expect((await hosted.get(hosted.row('member'))).status).toBe(200);
    const adopted = await control('adopt', { course: 'biology-101', tool: 'sketch', code: '2' });
    expect(adopted).toEqual({ version: 2, ended: 1 });
  });
});

rule(
  'a locations response is accepted, and its message is cut at 2000 characters',
  async ({ control }) => {
    const limit = LOCATIONS_MESSAGE_MAX_CHARACTERS;
    const answer = { grouped_locations: [], message: 'ä'.repeat(limit + 1) };
    expect(await control('locations', { answer })).toEqual({
      locations: null,
      grouped_locations: answer.grouped_locations,
      message: 'ä'.repeat(limit),
    });
    const short = await control('locations', { answer: { message: 'none yet' } });
    expect(short).toMatchObject({ message: 'none yet' });
  },
);
