import {
  count,
  described,
  document,
  httpStatus,
  instant,
  type JsonForms,
  line,
  list,
  mapOf,
  nullable,
  number,
  object,
  oneOf,
  open,
  text,
} from './form.ts';
import { attempt, finding, grade, request } from './shared.ts';

const outcome = described(
  oneOf('recorded', 'refused', 'in_doubt', 'not_sent'),
  'recorded: see status; in_doubt: sent, without a usable response',
);
const status = nullable(oneOf('success', 'failed'));
const credential = oneOf('launch_token', 'api_key', 'session');
const run = described(count, 'the number of the run');
const digest = described(text, 'of the plan, for --expect-digest');

const told = {
  run,
  line: described(count, 'in the file'),
  member: text,
  outcome,
  status,
  http: nullable(httpStatus),
  attempt: nullable(attempt),
  error: nullable(text),
  'worker?': described(nullable(count), 'on a shared ledger'),
};

const counts = {
  run,
  digest,
  rows: count,
  recorded: count,
  success: count,
  failed: count,
  refused: count,
  in_doubt: count,
  not_sent: count,
  'under_way?': described(count, 'on a shared ledger'),
};

const workers = list(object({ worker: count, who: text, host: text, sent: count }));

const sent = [
  line('a row that was sent', object(told)),
  line(
    'the summary, last',
    object({ summary: object({ ...counts, 'workers?': workers }), 'warning?': text }),
  ),
];

const plan = object({
  dry_run: oneOf(true),
  source: text,
  digest: nullable(digest),
  rows: count,
  attempts: count,
  unchanged: count,
  in_doubt: described(count, 'attempts for members with a grade in doubt'),
  not_higher: count,
  not_higher_in_doubt: described(count, 'not higher than a grade in doubt'),
  replaced: count,
  beyond_limit: count,
  ignored_columns: list(text),
  target: object({ origin: text, course: nullable(text), location: nullable(text) }),
  credential,
  findings: list({
    anyOf: [
      finding,
      open({
        ...finding,
        description: 'run.overlap: run and count',
      }),
    ],
  }),
});

const noSend = line(
  'the summary alone, with --no-send, or if nothing is to be sent: run is null then',
  object({
    summary: object({ ...counts, run: nullable(run), 'workers?': workers }),
    'warning?': text,
  }),
);

export const GRADE_FORMS: JsonForms = {
  'grade submit': [
    document('the attempt', attempt),
    document('the request, with --dry-run', request),
    document('the plan, with --from and --dry-run', plan),
    ...sent.map((each) => ({ ...each, what: `${each.what}, with --from` })),
    noSend,
  ],
  'grade work': sent,
  'grade stop': [document('the workers that stop', object({ run, workers }))],
  'grade resume': [
    ...sent,
    document(
      'what would be sent, with --dry-run',
      object({
        dry_run: oneOf(true),
        run,
        digest,
        method: oneOf('POST'),
        url: text,
        'warning?': text,
        rows: list(object({ line: count, member: text, state: text, body: grade })),
      }),
    ),
  ],
  'grade runs': [
    document(
      'the runs',
      list(
        object({
          ...counts,
          time: instant,
          source: text,
          credential,
          target: object({ origin: text, course: nullable(text), location: nullable(text) }),
          'workers?': workers,
        }),
      ),
    ),
  ],
  'grade report': [document('the rows of the run', list(object({ ...told, grade })))],
  'grade verify': [
    document(
      'the comparison',
      object({
        run,
        source: text,
        columns: described(mapOf(text), 'column: its name in the file'),
        ignored_columns: list(text),
        differences: list(
          object({
            member: text,
            difference: oneOf('differs', 'missing', 'only_in_export'),
            line: nullable(count),
            outcome: nullable(oneOf('success', 'failed', 'refused', 'in_doubt', 'not_sent')),
            score: nullable(number),
            export: nullable(number),
          }),
        ),
        agree: count,
        differs: count,
        missing: count,
        only_in_export: count,
      }),
    ),
  ],
  'grade log': [
    line(
      'an attempt',
      object({
        id: count,
        time: instant,
        member: text,
        run: nullable(run),
        line: nullable(count),
        outcome,
        status,
        http: nullable(httpStatus),
        credential,
        url: text,
        location: nullable(text),
        context: nullable(text),
        answer: described(nullable(text), 'in doubt: what came back, as it came'),
        grade,
        attempt: nullable(attempt),
        error: nullable(text),
        'worker?': nullable(count),
      }),
    ),
  ],
};
