import {
  any,
  bool,
  count,
  described,
  document,
  httpStatus,
  instant,
  integer,
  type JsonForm,
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
import { claimFinding, claims, SARIF } from './shared.ts';

const milliseconds = described(number, 'milliseconds since the epoch');
const ended = described(count, 'how many tokens ended');

const clock = document(
  'the clock',
  object({ now: milliseconds, iso: instant, offset_ms: integer }),
);

const lms = document(
  'the LMS, by location',
  object({
    lms: mapOf(
      object({
        refuse: nullable(
          object({
            status: httpStatus,
            body: text,
            'members?': list(text),
            'percent?': number,
            'times?': count,
          }),
        ),
        scope: oneOf('score', 'lineitem'),
        column: oneOf('present', 'missing'),
        slow_ms: number,
        points: nullable(number),
      }),
    ),
  }),
);

const faults = document(
  'the pending faults',
  object({ faults: list(open(object({ method: nullable(text), path: text, times: count }))) }),
);

const report = object({
  requests: described(count, 'how many requests were judged'),
  findings: list(
    object({
      code: text,
      severity: oneOf('error', 'warning'),
      requests: described(list(count), 'their numbers, as emulator requests shows them'),
      message: text,
      hint: text,
      rule: text,
    }),
  ),
  coverage: list(object({ situation: text, seen: bool, how: text })),
  chaos: nullable(
    object({
      seed: text,
      share: number,
      troubles: list(object({ trouble: text, count, requests: list(count) })),
      lost: list(object({ requests: list(count), message: text })),
      doubled: list(object({ requests: list(count), message: text })),
    }),
  ),
});

const version = object({
  number: count,
  visibility: oneOf('private', 'unlisted', 'public'),
  state: text,
  deprecated: bool,
});

const tool = object({
  id: text,
  status: oneOf('active', 'suspended', 'archived'),
  api_key: text,
  current: count,
  pilot: count,
  versions: list(version),
});

const toolChange = document('the tool', object({ tool, ended }));

const minted = document('the claims', claims);
const savedKey = object({ name: text, origin: text, saved: instant });

/** What is kept: the lists are open, since the emulator comes to know more of each thing. */
const state = document(
  'all state',
  open(
    object({
      now: instant,
      ...Object.fromEntries(
        [
          'tools',
          'courses',
          'locations',
          'members',
          'provisioned',
          'rows',
          'files',
          'codes',
          'provision_requests',
          'locations_answers',
          'attempts',
          'gradebook',
          'tokens',
        ].map((name) => [name, list(mapOf())]),
      ),
    }),
  ),
);

const exchange = object({
  number: count,
  time: instant,
  origin: text,
  method: text,
  path: text,
  credential: nullable(oneOf('launch_token', 'provision_token', 'api_key', 'unknown')),
  launch_id: nullable(text),
  status: nullable(httpStatus),
  bytes: count,
  ms: number,
  error: nullable(text),
  fault: nullable(text),
});

const message = object({
  headers: list(list(text)),
  body: nullable(object({ text: nullable(text), bytes: count, cut: bool })),
});

const captured = open(
  object({
    number: count,
    captured: described(
      nullable(object({ request: message, response: message })),
      'null where headers and bodies were not kept',
    ),
  }),
);

const replayed = object({ number: count, status: nullable(httpStatus) });

const figures = Object.fromEntries(
  ['tools', 'courses', 'members', 'rows', 'files', 'attempts', 'tokens'].map((name) => [
    name,
    count,
  ]),
);

/** Lists are open, as those of the state are; the files of one row come whole, with their quota. */
const page = open(
  object({
    items: list(mapOf()),
    'next?': described(nullable(text), 'what --after takes for the next page'),
    'total?': count,
  }),
);

const fixture = document(
  'launches of every kind, keys, addresses and hooks, by name',
  open(object({ base_url: text, hooks: mapOf() })),
);

const nothing = document('an empty object', object({}));

const each = (names: string, form: JsonForm): JsonForms =>
  Object.fromEntries(names.split(' ').map((name) => [name.replaceAll('.', ' '), [form]]));

export const EMULATOR_FORMS: JsonForms = {
  'emulator start': [
    document(
      'the emulator, when it is ready',
      object({
        base_url: text,
        url: text,
        blob_url: text,
        pid: count,
        data: described(nullable(text), 'the folder; null in memory'),
        world: described(
          oneOf('new', 'kept'),
          'kept: the folder had data, and no seed was applied',
        ),
      }),
    ),
  ],
  'emulator launch': [
    minted,
    document('the page, with --print-url', object({ course_page: text })),
  ],
  'emulator provision-request': [minted],
  'emulator locations-request': [
    document(
      'the answer',
      object({
        tool: text,
        course: text,
        asked: milliseconds,
        status: nullable(httpStatus),
        error: nullable(text),
        findings: list(claimFinding),
        answer: any,
      }),
    ),
  ],
  'emulator fixture': [fixture],
  'emulator state': [state],
  'emulator key': [
    document('the key', object({ tool: text, api_key: text, origin: text })),
    document('the saved key, with --save', savedKey),
  ],
  ...each(
    'emulator.lms.ok emulator.lms.refuse emulator.lms.scope emulator.lms.column emulator.lms.points emulator.lms.slow',
    lms,
  ),
  ...each(
    'emulator.clock.show emulator.clock.advance emulator.clock.set emulator.clock.reset',
    clock,
  ),
  ...each('emulator.fault emulator.fault.list emulator.fault.remove emulator.fault.clear', faults),
  ...each('emulator.token.end emulator.member.remove', document('the tokens', object({ ended }))),
  ...each(
    'suspend activate archive replace-code publish approve deprecate pilot'
      .split(' ')
      .map((verb) => `emulator.tool.${verb}`)
      .join(' '),
    toolChange,
  ),
  'emulator tool adopt': [document('the version', object({ version: count, ended }))],
  'emulator tool upload': [
    document(
      'the tool and its code',
      object({
        tool,
        ended,
        code: object({
          tool: text,
          version: count,
          files: count,
          bytes: count,
          zip_bytes: count,
          sha256: text,
          uploaded: milliseconds,
        }),
      }),
    ),
  ],
  'emulator requests': [
    line('a request', exchange),
    document('the request, with --show', captured),
    document('the request that was sent, with --replay', replayed),
  ],
  'emulator open': [
    document('the address', object({ url: text, seconds: described(count, 'how long it works') })),
  ],
  'emulator summary': [document('how much there is', open(object({ base_url: text, ...figures })))],
  'emulator show': [document('a page of a list', page)],
  'emulator row': [
    document('the row', mapOf()),
    document('its versions, with --versions', open(object({ row: text, versions: list(mapOf()) }))),
    document('what was written, with --put', object({ row: text, bytes: count, etag: text })),
  ],
  'emulator events': [
    line('an event', open(object({ event: count, kind: oneOf('request', 'change', 'start') }))),
  ],
  'emulator report': [document('the report', report), SARIF],
  ...each('emulator.reset emulator.import', nothing),
  'emulator export': [
    document('the file', object({ file: text, bytes: count })),
    line('a record, to standard output', any),
  ],
};
