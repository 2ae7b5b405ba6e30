import { freedom, named } from './freedom.ts';

/* What the claims of a launch contain. */

export const LAUNCH_FREEDOMS = {
  claims: freedom<Readonly<Record<'launch' | 'user' | 'course', object>>>({
    about: 'claims that the contract does not name',
    contract: 'Launch claims: "Full launch payload: not shown beyond the claims listed above."',
    values: named({
      none: { launch: {}, user: {}, course: {} },
      some: {
        launch: { locale: 'en-GB', roles: ['http://purl.example/roles#Member'], issued_at: null },
        user: { locale: 'en-GB' },
        course: { label: 'X-1', archived: false },
      },
      nested: {
        launch: { custom: { a: { b: [1, { c: null }] }, 'd.e/f': '' }, platform: { name: 'é' } },
        user: { groups_detail: [] },
        course: {},
      },
    }),
  }),
  groups: freedom<readonly string[]>({
    about: 'names in `user.groups` beside the roles',
    contract:
      'Launch claims: "list of group names; includes `manager`, `instructor`, `assistant` for staff".',
    values: [
      ['none', []],
      ['others', ['everyone', 'Section B (évening)']],
    ],
  }),
  expires: freedom<(ms: number) => { readonly expires?: unknown }>({
    about: 'the form of `api.expires`',
    contract:
      'Launch claims: "`api.expires`, `api.idle` … lifetime information (values not given)".',
    reading: 'What are `api.expires` and `api.idle`?',
    values: [
      ['milliseconds', (ms) => ({ expires: ms })],
      ['seconds', (ms) => ({ expires: Math.floor(ms / 1000) })],
      ['iso', (ms) => ({ expires: new Date(ms).toISOString() })],
      ['absent', () => ({})],
    ],
  }),
  idle: freedom<(seconds: number | null) => { readonly idle?: unknown }>({
    about: 'the form of `api.idle`',
    contract:
      'Launch claims: "`api.expires`, `api.idle` … lifetime information (values not given)".',
    reading: 'What are `api.expires` and `api.idle`?',
    values: [
      ['seconds', (seconds) => ({ idle: seconds })],
      ['milliseconds', (seconds) => ({ idle: seconds && seconds * 1000 })],
      ['iso', (seconds) => ({ idle: seconds && `PT${seconds}S` })],
      ['absent', () => ({})],
    ],
  }),
};
