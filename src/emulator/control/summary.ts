import { columnAt } from '../service/grades/lms.ts';
import { versionIn } from '../state/versions.ts';
import type { EmulatorState } from '../state/state.ts';
import * as s from '../../schema/schema.ts';
import { LMS } from '../state/records.ts';
import { PLACED, TOOL_STATUS, TOOL_VERSION } from '../state/world.ts';
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

const COUNTS = `SELECT
  (SELECT count(*) FROM tools) AS tools, (SELECT count(*) FROM courses) AS courses,
  (SELECT count(*) FROM locations) AS locations, (SELECT count(*) FROM members) AS members,
  (SELECT count(body) FROM rows) AS rows, (SELECT count(*) FROM files) AS files,
  (SELECT coalesce(sum(size), 0) FROM files) AS file_bytes,
  (SELECT count(*) FROM attempts) AS attempts,
  (SELECT count(*) FROM attempts WHERE payload IS NULL) AS attempts_failed,
  (SELECT count(*) FROM tokens) AS tokens`;

type Counts = Pick<
  s.Static<typeof SUMMARY>,
  | ('tools' | 'courses' | 'locations' | 'members' | 'rows' | 'files' | 'file_bytes')
  | ('attempts' | 'attempts_failed' | 'tokens')
>;

function showSummary({ state, faults, exchanges, errors, startedWith, observed }: Control) {
  const { store } = state;
  return {
    ...shownClock(state),
    base_url: state.urls.api,
    blob_url: state.urls.blobs,
    ...(store.first<Counts>(COUNTS) as Counts),
    tokens_live: state.tokens.live().length,
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
    courses: world.courses.all().map(({ id, title, parent, codes }) => {
      return { id, title, parent, codes };
    }),
    locations: world.locations.all().map((location) => {
      const { id, course, tool, type, title, gradeUrl } = location;
      const points = columnAt(state, id)?.points ?? null;
      const lms = shownLms(state, id);
      return { id, course, tool, type, title, grade_url: gradeUrl, points, lms };
    }),
    tools: world.tools.all().map((tool) => ({
      id: tool.id,
      name: tool.name,
      hosted: tool.hosted,
      status: tool.status,
      has_key: tool.apiKey !== '',
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
