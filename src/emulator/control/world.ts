import { columnAt, lmsAt } from '../service/grades/lms.ts';
import { versionIn } from '../state/versions.ts';
import type { EmulatorState } from '../state/state.ts';
import * as s from '../../schema/schema.ts';
import { LMS } from '../state/records.ts';
import { PLACED, TOOL_STATUS, TOOL_VERSION } from '../state/world.ts';
import { operation } from './operation.ts';
import { CODE, shownCode } from './state.ts';

const WORLD = s.object({
  courses: s.list(s.object({ id: s.text, title: s.text, parent: s.text, codes: s.mapOf(s.text) })),
  locations: s.list(
    s.object({
      ...s.texts('id', 'course', 'tool', 'type', 'title'),
      grade_url: s.bool,
      points: s.nullable(s.anyNumber),
      lms: s.object(LMS),
    }),
  ),
  tools: s.list(
    s.object({
      id: s.text,
      name: s.text,
      hosted: s.bool,
      status: TOOL_STATUS,
      has_key: s.bool,
      current: s.count,
      pilot: s.count,
      versions: s.list(s.object(TOOL_VERSION)),
      codes: s.list(CODE),
      callback: s.nullable(s.text),
      runs: s.list(s.object({ course: s.text, version: s.count })),
    }),
  ),
});
type ShownWorld = s.Static<typeof WORLD>;

export const WORLD_OPERATIONS = {
  'GET world': operation({
    summary:
      'the options of the console: courses, placements with the settings of the LMS, and tools',
    answers: WORLD,
    run: ({ state }) => showWorld(state),
  }),
};

function showWorld(state: EmulatorState): ShownWorld {
  const { world } = state;
  return {
    courses: world.courses.all().map(({ id, title, parent, codes }) => {
      return { id, title, parent, codes };
    }),
    locations: world.locations.all().map((location) => {
      const { id, course, tool, type, title, grade_url } = location;
      const points = columnAt(state, id)?.points ?? null;
      const lms = lmsAt(state, id);
      return { id, course, tool, type, title, grade_url, points, lms };
    }),
    tools: world.tools.all().map((tool) => ({
      id: tool.id,
      name: tool.name,
      hosted: tool.hosted,
      status: tool.status,
      has_key: tool.api_key !== '',
      current: tool.current,
      pilot: tool.pilot,
      versions: tool.versions,
      codes: state.hosted.codes.all('tool = ?', [tool.id]).map(shownCode),
      callback: tool.callback ?? null,
      runs: world.courses.all(PLACED, [tool.id]).map((course) => {
        return { course: course.id, version: versionIn(tool, course)?.number ?? 0 };
      }),
    })),
  };
}
