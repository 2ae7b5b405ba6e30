import * as s from '../../schema/schema.ts';
import { CLOCK, shownClock } from './clock.ts';
import { type Control, operation } from './operation.ts';
import { shownVary, VARY } from './vary.ts';

export const SUMMARY = s.object({
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

export const SUMMARY_OPERATIONS = {
  'GET summary': operation({
    summary: 'counts of everything that is stored',
    answers: SUMMARY,
    run: (control) => showSummary(control),
  }),
};

const COUNTS = `SELECT
  (SELECT count(*) FROM tools) AS tools, (SELECT count(*) FROM courses) AS courses,
  (SELECT count(*) FROM locations) AS locations, (SELECT count(*) FROM members) AS members,
  (SELECT count(size) FROM rows) AS rows, (SELECT count(*) FROM files) AS files,
  (SELECT coalesce(sum(size), 0) FROM files) AS file_bytes,
  (SELECT count(*) FROM attempts) AS attempts,
  (SELECT count(*) FROM attempts WHERE payload IS NULL) AS attempts_failed,
  (SELECT count(*) FROM tokens) AS tokens`;

type Counts = Pick<
  s.Static<typeof SUMMARY>,
  | ('tools' | 'courses' | 'locations' | 'members' | 'rows' | 'files' | 'file_bytes')
  | ('attempts' | 'attempts_failed' | 'tokens')
>;

export function showSummary({ state, faults, exchanges, errors, startedWith, observed }: Control) {
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
