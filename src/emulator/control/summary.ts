import { columnAt } from '../service/grades/lms.ts';
import { endOf } from '../state/tokens.ts';
import { versionIn } from '../state/versions.ts';
import type { EmulatorState } from '../state/state.ts';
import * as s from '../../schema/schema.ts';
import { LMS } from '../state/records.ts';
import { TOOL_STATUS, TOOL_VERSION } from '../state/world.ts';
import { CLOCK, shownClock } from './clock.ts';
import { shownLms } from './lms.ts';
import { type Control, operation } from './operation.ts';
import { CODE, shownCode } from './state.ts';
import { shownVary, VARY } from './vary.ts';

const SUMMARY = s.object({
  ...CLOCK,
  base_url: s.text,
  blob_url: s.text,
  ...s.counts(
    'tools',
    'courses',
    'locations',
    'members',
    'rows',
    'files',
    'file_bytes',
    'attempts',
    'attempts_failed',
    'tokens',
    'tokens_live',
    'requests',
    'faults',
  ),
  report_errors: s.described(s.count, 'findings of the report that are errors'),
  vary: VARY,
  observes: s.described(s.nullable(s.text), 'the service that calls are led to, with observe'),
  started_with: s.described(
    s.nullable(s.text),
    'the command that started the emulator, if one did',
  ),
});

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

export const SUMMARY_OPERATIONS = {
  'GET summary': operation({
    summary: 'counts of everything that is stored',
    answers: SUMMARY,
    run: (control) => showSummary(control),
  }),
  'GET world': operation({
    summary:
      'the options of the console: courses, placements with the settings of the LMS, and tools',
    answers: WORLD,
    run: ({ state }) => showWorld(state),
  }),
};

function showSummary({ state, faults, exchanges, errors, startedWith, observed }: Control) {
  const { world, store } = state;
  const now = state.clock.now();
  const tokens = [...state.tokens.values()];
  const files = [...state.files.values()];
  return {
    ...shownClock(state),
    base_url: state.urls.api,
    blob_url: state.urls.blobs,
    tools: world.tools.size,
    courses: world.courses.size,
    locations: world.locations.size,
    members: world.members.size,
    rows: store.rowCount(),
    files: files.length,
    file_bytes: files.reduce((sum, { size }) => sum + size, 0),
    attempts: store.attempts.count(),
    attempts_failed: store.attempts.failedCount(),
    tokens: tokens.length,
    tokens_live: tokens.filter((token) => endOf(token, now) === '').length,
    requests: exchanges.last,
    faults: faults.times,
    report_errors: errors.latest(),
    vary: shownVary(state),
    observes: observed?.origin() ?? null,
    started_with: startedWith ?? null,
  };
}

function showWorld(state: EmulatorState): ShownWorld {
  const { world } = state;
  return {
    courses: [...world.courses.values()].map(({ id, title, parent, codes }) => {
      return { id, title, parent, codes };
    }),
    locations: [...world.locations.values()].map((location) => {
      const { id, course, tool, type, title, gradeUrl } = location;
      const points = columnAt(state, id)?.points ?? null;
      const lms = shownLms(state, id);
      return { id, course, tool, type, title, grade_url: gradeUrl, points, lms };
    }),
    tools: [...world.tools.values()].map((tool) => ({
      id: tool.id,
      name: tool.name,
      hosted: tool.hosted,
      status: tool.status,
      has_key: tool.apiKey !== '',
      current: tool.current,
      pilot: tool.pilot,
      versions: tool.versions,
      codes: [...state.hosted.codes.values()]
        .filter((code) => code.tool === tool.id)
        .map(shownCode),
      callback: tool.callback ?? null,
      runs: [...world.courses.values()]
        .filter(({ id }) => world.isPlaced(tool.id, id))
        .map((course) => ({ course: course.id, version: versionIn(tool, course)?.number ?? 0 })),
    })),
  };
}
