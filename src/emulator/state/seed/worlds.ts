import example from './example-seed.json' with { type: 'json' };
import type { Seed, SeedMember } from './seed.ts';

/** A course of 200 students with three placements, and one that was copied from it. */
export const EXAMPLE_SEED = example as Seed;

/**
 * The world without a seed: enough for every kind of launch. IDs are stable, so that scripts can use
 * them.
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
        person(101, 'Mara', 'Lindqvist', 'instructor'),
        person(102, 'Tomas', 'Okafor', 'assistant'),
        person(103, 'Ines', 'Duarte', 'manager'),
        person(111, 'Amina', 'Abara'),
        person(112, 'Bo', 'Berg'),
        person(113, 'Chidi', 'Costa'),
        person(114, 'Dana', 'Dahl'),
        person(115, 'Elif', 'Endo'),
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
        person(201, 'Noor', 'Haddad', 'instructor'),
        person(211, 'Femi', 'Fofana'),
        person(212, 'Greta', 'Garcia'),
      ],
      locations: [{ id: 'essay-history', tool: 'essay', title: 'Source critique' }],
    },
    {
      id: 'biology-102',
      title: 'Biology 102',
      copy_of: 'biology-101',
      members: [
        { ...person(101, 'Mara', 'Lindqvist', 'instructor'), id: 'member-301' },
        person(311, 'Hana', 'Haas'),
        person(312, 'Ivo', 'Ito'),
      ],
      locations: [{ id: 'essay-102', tool: 'essay', title: 'First essay', copy_of: 'essay-1' }],
    },
  ],
};

/** IDs do not reveal the person, as on the real service: students' launches contain them. */
function person(number: number, given: string, family: string, group = 'student'): SeedMember {
  return {
    id: `member-${number}`,
    user: `user-${number}`,
    groups: [group],
    given_name: given,
    family_name: family,
    email: `${given}.${family}@campus.example`.toLowerCase(),
    lms_user: `lms-${number}-${(number * 7919).toString(36)}`,
  };
}
