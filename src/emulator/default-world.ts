import type { Seed } from './seed.ts';

/**
 * What there is when nothing was seeded: enough that every kind of launch works at once. IDs are
 * stable, so that they can stand in a script.
 */
export const DEFAULT_WORLD: Seed = {
  tools: [
    { id: 'essay', name: 'Essay Workshop' },
    { id: 'polls', name: 'Polls' },
    { id: 'sketch', name: 'Sketchpad', hosted: true },
  ],
  courses: [
    {
      id: 'biology-101',
      title: 'Biology 101',
      members: [
        staff('mara', 'instructor', 'Mara', 'Lindqvist'),
        staff('tomas', 'assistant', 'Tomas', 'Okafor'),
        staff('ines', 'manager', 'Ines', 'Duarte'),
        ...['ada', 'bo', 'chidi', 'dana', 'elif'].map((name) => student('biology-101', name)),
      ],
      locations: [
        { id: 'essay-1', tool: 'essay', title: 'First essay' },
        { id: 'essay-2', tool: 'essay', title: 'Second essay', points: 50 },
        { id: 'essay-unlinked', tool: 'essay', title: 'Not deep-linked', column: false },
        { id: 'essay-guide', tool: 'essay', title: 'Writing guide', type: 'resource' },
        { id: 'poll-1', tool: 'polls', title: 'Opening poll' },
        { id: 'sketch-1', tool: 'sketch', title: 'Cell drawing' },
      ],
    },
    {
      id: 'history-202',
      title: 'History 202',
      members: [
        staff('noor', 'instructor', 'Noor', 'Haddad'),
        ...['femi', 'greta'].map((name) => student('history-202', name)),
      ],
      locations: [{ id: 'essay-history', tool: 'essay', title: 'Source critique' }],
    },
    {
      id: 'biology-102',
      title: 'Biology 102',
      copy_of: 'biology-101',
      members: [
        { ...staff('mara', 'instructor', 'Mara', 'Lindqvist'), id: 'member-mara-102' },
        ...['hana', 'ivo'].map((name) => student('biology-102', name)),
      ],
      locations: [{ id: 'essay-102', tool: 'essay', title: 'First essay', copy_of: 'essay-1' }],
    },
  ],
};

function staff(name: string, group: string, given: string, family: string) {
  const who = { given_name: given, family_name: family, email: `${name}@campus.example` };
  return { id: `member-${name}`, user: `user-${name}`, groups: [group], ...who };
}

function student(course: string, name: string) {
  const who = { given_name: name, family_name: 'Student', email: `${name}@campus.example` };
  return { id: `member-${name}`, user: `user-${name}`, groups: ['student', course], ...who };
}
