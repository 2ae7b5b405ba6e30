import type { EmulatorState } from '../state.ts';
import { isStaffMember } from '../world/world.ts';

/** IDs by which a command can bring a situation about; null where the world has nothing of the kind. */
export function idsOf({ world }: EmulatorState) {
  const members = [...world.members.values()].filter(({ left }) => !left);
  const locations = [...world.locations.values()];
  const graded = locations.find(({ type, gradeUrl }) => type === 'assessment' && gradeUrl);
  const course = graded?.course ?? world.courses.values().next().value?.id ?? null;
  const there = members.filter((member) => member.course === course);
  return {
    course,
    tool: graded?.tool ?? world.tools.values().next().value?.id ?? null,
    student: there.find((member) => !isStaffMember(member))?.id ?? null,
    staff: there.find(isStaffMember)?.groups[0] ?? null,
    ungraded:
      locations.find(({ type, gradeUrl }) => type !== 'assessment' || !gradeUrl)?.id ?? null,
  };
}
