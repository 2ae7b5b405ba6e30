import * as s from '../../schema/schema.ts';
import {
  columnSchema,
  document,
  itemSchema,
  type JsonForms,
  line,
  list,
  listIn,
  oneOfLists,
  wholeLine,
  attempt,
  finding,
  grade,
  request,
  documentOf,
  withList,
} from './forms.ts';
import { DIFFERENCES } from './differences.ts';
import { RUN_COUNTS, RUN_WORKERS, RUNS } from './grade-run.ts';

const outcome = s.described(
  s.oneOf('recorded', 'refused', 'in_doubt', 'not_sent'),
  'recorded: see status; in_doubt: sent, without a usable response',
);
const status = s.nullable(s.oneOf('success', 'failed'));
const [run, digest] = [columnSchema(RUNS.run), columnSchema(RUNS.digest)];
const [target, credential] = [columnSchema(RUNS.target), columnSchema(RUNS.credential)];

const evidence = s.described(
  s.object({
    source: s.described(s.nullable(s.text), 'the file of the export; null by hand'),
    digest: s.described(s.nullable(s.text), 'its SHA-256'),
    line: s.nullable(s.count),
    at: s.instant,
    by: s.described(s.text, 'user@host'),
    because: s.described(s.nullable(s.text), 'the reason, by hand'),
  }),
  'how a doubt was settled',
);

const SENT_RECORD = {
  run,
  line: s.described(s.count, 'in the file'),
  member: s.text,
  outcome,
  status,
  http: s.nullable(s.httpStatus),
  attempt: s.nullable(attempt),
  error: s.nullable(s.text),
  'worker?': s.described(s.nullable(s.count), 'on a shared ledger'),
  'evidence?': evidence,
};

const workers = s.list(itemSchema(RUN_WORKERS));

const sent = [
  oneOfLists('sent', line('a row that was sent', s.object(SENT_RECORD))),
  wholeLine(
    'the summary, last',
    s.object({ summary: itemSchema(RUN_COUNTS, { 'workers?': workers }), 'warning?': s.text }),
  ),
];

const ledger = s.described(s.nullable(s.text), 'the shared ledger; null for that of this machine');

const SUPERSEDED = {
  line: s.count,
  member: s.text,
  score: s.anyNumber,
  newer: s.object({
    score: s.anyNumber,
    state: s.oneOf('success', 'in_doubt'),
    run: s.nullable(run),
  }),
};

/** Of a plan that takes a run back. */
const UNDONE = {
  'undoes?': run,
  'without_earlier?': s.described(s.list(s.text), 'members without an earlier score'),
  'superseded?': s.list(s.object(SUPERSEDED)),
  'recorded_since?': s.count,
  'doubted_since?': s.count,
};

const plan = s.object({
  dry_run: s.oneOf(true),
  source: s.text,
  ledger,
  digest: s.nullable(digest),
  ...s.counts('rows', 'attempts', 'unchanged', 'lowered', 'raised'),
  changed: s.described(s.count, 'records with the same score and another comment, for example'),
  new: s.described(s.count, 'records of members without a recorded grade in the ledger'),
  in_doubt: s.described(s.count, 'attempts for members with a grade in doubt'),
  not_higher: s.count,
  not_higher_in_doubt: s.described(s.count, 'not higher than a grade in doubt'),
  replaced: s.count,
  beyond_limit: s.count,
  ignored_columns: s.list(s.text),
  'recognised?': s.described(s.text, 'the gradebook that the file is an export of'),
  'maximum?': s.described(
    s.object({ points: s.anyNumber, from: s.text }),
    'found in the file, for its points',
  ),
  'left_out?': s.described(
    s.list(s.object({ reason: s.text, count: s.count, lines: s.list(s.count) })),
    'lines that are no records; the first 1,000 of each kind',
  ),
  'ungraded?': s.described(s.mapOf(s.count), 'left out without a grade: word: how many'),
  'unknown?': s.described(s.count, 'left out, without a member'),
  'not_selected?': s.described(s.count, 'left out by --where and --only'),
  'absent?': s.described(s.list(s.text), 'members of --only without a record'),
  max_scores: s.described(
    s.list(s.object({ max_score: s.anyNumber, records: s.count })),
    'the values in the file',
  ),
  points_possible: s.described(
    s.nullable(s.anyNumber),
    'of the column, as the service recorded them last',
  ),
  target,
  credential,
  ...UNDONE,
  findings: s.list({
    anyOf: [finding, s.open({ ...finding, description: 'run.overlap: run and count' })],
  }),
  records: s.described(
    s.list(
      s.object({
        line: s.count,
        member: s.text,
        score: s.anyNumber,
        points: s.nullable(s.anyNumber),
        before: s.described(s.nullable(s.anyNumber), 'the last recorded score'),
        change: s.oneOf('lowered', 'raised', 'changed', 'unchanged', 'new'),
      }),
    ),
    'all that would be sent, those that lower a score first',
  ),
});

const JUDGED = {
  member: s.text,
  score: s.anyNumber,
  line: s.described(s.nullable(s.count), 'in the export'),
};

/** The plan of a bulk submission. */
export type GradePlan = s.Static<typeof plan>;

const noSend = wholeLine(
  'the summary alone, with --no-send, or if nothing is to be sent: run is null then',
  s.object({
    summary: itemSchema(RUN_COUNTS, { run: s.nullable(run), 'workers?': workers }),
    'warning?': s.text,
  }),
);

export const GRADE_FORMS = {
  'grade submit': [
    document('the attempt', attempt),
    document('the request, with --dry-run', request),
    oneOfLists('plan', withList('records', document('the plan, with --from and --dry-run', plan))),
    ...sent.map((each) => ({ ...each, what: `${each.what}, with --from` })),
    noSend,
  ],
  'grade undo': [
    oneOfLists('plan', withList('records', document('the plan, with --dry-run', plan))),
    ...sent,
    noSend,
  ],
  'grade work': sent,
  'grade stop': documentOf('the workers that stop', { run, workers }),
  'grade resume': [
    ...sent,
    oneOfLists(
      'plan',
      listIn('rows', 'what would be sent, with --dry-run', {
        dry_run: s.oneOf(true),
        run,
        digest,
        method: s.oneOf('POST'),
        url: s.text,
        target,
        ledger,
        'warning?': s.text,
        rows: s.list(s.object({ line: s.count, member: s.text, state: s.text, body: grade })),
        superseded: s.described(s.list(s.object(SUPERSEDED)), 'held back: a newer grade is known'),
        ...s.counts('recorded_since', 'doubted_since'),
      }),
    ),
  ],
  'grade runs': list('the runs', itemSchema(RUNS, { 'workers?': workers })),
  'grade report': list('the rows of the run', s.object({ ...SENT_RECORD, grade })),
  'grade verify': listIn('differences', 'the comparison', {
    run,
    source: s.text,
    columns: s.described(s.mapOf(s.text), 'column: its name in the file'),
    ignored_columns: s.list(s.text),
    differences: s.list(itemSchema(DIFFERENCES)),
    ...s.counts('agree', 'differs', 'missing', 'only_in_export', 'no_grade', 'unreadable'),
  }),
  'grade settle': listIn('settled', 'the grades in doubt, by what the export has of them', {
    run: s.described(s.nullable(run), 'null: grades of no run'),
    source: s.described(s.nullable(s.text), 'the export; null by hand'),
    digest: s.described(s.nullable(s.text), 'its SHA-256'),
    settled: s.list(s.object(JUDGED)),
    differs: s.list(s.object({ ...JUDGED, export: s.anyNumber })),
    missing: s.list(
      s.object({ ...JUDGED, difference: s.oneOf('missing', 'no_grade', 'unreadable') }),
    ),
    same: s.described(s.list(s.object(JUDGED)), 'the score was recorded before, too'),
    left_in_doubt: s.described(s.count, 'with --dry-run: what would be left'),
    'dry_run?': s.oneOf(true),
  }),
  'grade log': line(
    'an attempt',
    s.object({
      id: s.count,
      time: s.instant,
      member: s.text,
      run: s.nullable(run),
      line: s.nullable(s.count),
      outcome,
      status,
      http: s.nullable(s.httpStatus),
      credential,
      url: s.text,
      location: s.nullable(s.text),
      context: s.nullable(s.text),
      answer: s.described(s.nullable(s.text), 'in doubt: the unusable response, unchanged'),
      grade,
      attempt: s.nullable(attempt),
      error: s.nullable(s.text),
      'worker?': s.nullable(s.count),
      'evidence?': evidence,
    }),
  ),
} satisfies JsonForms;
