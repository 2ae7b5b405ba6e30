import type { EmulatorState } from '../state/state.ts';
import { rowKey } from '../state/rows.ts';
import { isStaffMember, type Member } from '../state/world.ts';

/** IDs for the commands that cause a situation; null if the world has none. */
export function idsOf({ world, store }: EmulatorState) {
  const members = [...world.members.values()].filter(({ left }) => !left);
  const locations = [...world.locations.values()];
  const graded = locations.find(({ type, gradeUrl }) => type === 'assessment' && gradeUrl);
  const course = graded?.course ?? world.courses.values().next().value?.id ?? null;
  const there = members.filter((member) => member.course === course);
  const students = there.filter((member) => !isStaffMember(member));
  const tool = graded?.tool ?? world.tools.values().next().value?.id ?? null;
  const isUnwritten = ({ id }: Member): boolean => {
    const row = { kind: 'member', tool: tool ?? '', course: '', location: '', member: id } as const;
    return store.row(rowKey(row)) === undefined;
  };
  return {
    course,
    tool,
    student: students[0]?.id ?? null,
    unwritten: students.find(isUnwritten)?.id ?? null,
    staff: there.find(isStaffMember)?.groups[0] ?? null,
    ungraded:
      locations.find(({ type, gradeUrl }) => type !== 'assessment' || !gradeUrl)?.id ?? null,
  };
}
