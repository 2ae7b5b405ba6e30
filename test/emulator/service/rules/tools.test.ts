import { describe, expect } from 'vitest';
import {
  HOSTED_TOOL_WHOLE,
  HOSTED_TOOL_ZIPPED,
  LOCATIONS_MESSAGE_MAX_CHARACTERS,
  RESERVED_ROOT_FILE,
} from '../../../../src/contract/index.ts';
import { byId, rule, rules, type Subject } from '../../subject.ts';

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

describe('Limits: hosted tool upload', () => {
  const index = { path: 'index.html', size: 10 };
  const upload = (control: Control, more: object) =>
    act(control, 'sketch', 'publish', { visibility: 'private', files: [index], ...more });

  rules(
    '%s is rejected, and publishes nothing',
    [
      ['a zip over 25 MB', { zip_size: HOSTED_TOOL_ZIPPED.bytes + 1 }, /exceeds the 25 MB limit/],
      [
        'a tool over 50 MB',
        { files: [index, { path: 'a', size: HOSTED_TOOL_WHOLE.bytes - 9 }] },
        /more than the 50 MB limit/,
      ],
      [
        'the reserved file at the root',
        { files: [{ path: RESERVED_ROOT_FILE, size: 1 }] },
        /is reserved/,
      ],
      ['a manifest with locations', { manifest: { locations: [] } }, /contains locations/],
      [
        'a manifest with grouped_locations',
        { manifest: { grouped_locations: {} } },
        /contains grouped_locations/,
      ],
    ] as const,
    async ({ control }, _name, more, message) => {
      await expect(upload(control, more)).rejects.toThrow(message);
      const { tools } = await control('state');
      expect(byId(tools, 'sketch').versions).toHaveLength(1);
    },
  );

  rule('a tool at the limits is accepted', async ({ control }) => {
    const { tool } = await upload(control, {
      files: [
        { path: 'deep/large', size: HOSTED_TOOL_WHOLE.bytes - 10 },
        { path: `deep/${RESERVED_ROOT_FILE}`, size: 5 },
        { path: 'a', size: 5 },
      ],
      zip_size: HOSTED_TOOL_ZIPPED.bytes,
      manifest: { name: 'Sketchpad' },
    });
    expect(tool.current).toBe(2);
  });
});

describe('a locations response', () => {
  const nested = (levels: number): unknown[] => [
    {
      label: 'g',
      ...(levels === 1 ? { locations: [] } : { grouped_locations: nested(levels - 1) }),
    },
  ];

  rules(
    'that has %s is rejected',
    [
      [
        'none of the three names',
        { location: [] },
        /none of locations, grouped_locations, message/,
      ],
      ['a message that is not text', { message: {} }, /message must be plain text/],
      ['groups in 6 levels', { grouped_locations: nested(6) }, /nested 6 levels deep/],
    ] as const,
    async ({ control }, _name, answer, message) => {
      await expect(control('locations', { answer })).rejects.toThrow(message);
    },
  );

  rule('is accepted, and its message is cut at 2000 characters', async ({ control }) => {
    const limit = LOCATIONS_MESSAGE_MAX_CHARACTERS;
    const answer = { grouped_locations: nested(5), message: 'ä'.repeat(limit + 1) };
    expect(await control('locations', { answer })).toEqual({
      locations: null,
      grouped_locations: answer.grouped_locations,
      message: 'ä'.repeat(limit),
    });
    const short = await control('locations', { answer: { message: 'none yet' } });
    expect(short).toMatchObject({ message: 'none yet' });
  });
});
