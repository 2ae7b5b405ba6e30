import { OPERATIONS, REPORT, COVERED as SEEN } from '../../emulator/index.ts';
import { COMMANDS, type ControlCommand } from '../../control-api/commands.ts';
import { type ListName, memberOf } from '../../control-api/resources.ts';
import * as s from '../../schema/schema.ts';
import {
  itemSchema,
  document,
  type JsonForm,
  type JsonForms,
  line,
  claims,
  SARIF,
  documentOf,
  withList,
} from './forms.ts';
import { SAVED_KEYS } from './saved.ts';

type Operations = typeof OPERATIONS;

/** The answer of an operation of the control API, which the command prints unchanged. */
function answer<Name extends keyof Operations>(
  what: string,
  name: Name,
): JsonForm<s.Static<Operations[Name]['answers']>> {
  return document(
    what,
    OPERATIONS[name].answers as s.Schema<s.Static<Operations[Name]['answers']>>,
  );
}

/** The answer of an operation with a list, of which `--fields` chooses. */
function listForm(list: ListName, name: keyof Operations): JsonForm {
  const form = answer<keyof Operations>(
    list === 'lms' ? 'the LMS, by location' : `the ${list}`,
    name,
  );
  return withList(list === 'lms' ? list : memberOf(list), form);
}

/** The forms of the commands that are one operation. */
export const OPERATION_FORMS: JsonForms = Object.fromEntries(
  Object.entries<readonly ControlCommand[]>(COMMANDS).flatMap(([operation, commands]) => {
    const name = operation as keyof Operations;
    return commands.map(({ path, list }) => [
      `emulator ${path}`,
      [list ? listForm(list, name) : answer('the answer of the emulator', name)],
    ]);
  }),
);

const STATE = answer('all state', 'GET state');

const minted = document('the claims', claims);

const COVERED = s.object({ situation: s.text, ...SEEN, how: s.text });
/** A situation, whether the tool has met it, and the command that causes it. */
export type Covered = s.Static<typeof COVERED>;

const REPORTED = s.object({ ...REPORT, coverage: s.list(COVERED) });
export type ReportDocument = s.Static<typeof REPORTED>;

export const EMULATOR_FORMS = {
  'emulator start': documentOf('the emulator, when it is ready', {
    base_url: s.described(s.text, 'the base of the URLs in launches'),
    url: s.described(s.text, 'where it listens'),
    blob_url: s.described(s.text, 'the base of signed URLs'),
    pid: s.count,
    data: s.described(s.nullable(s.text), 'the folder; null in memory'),
    world: s.described(
      s.oneOf('new', 'kept'),
      'kept: the folder had data, and no seed was applied',
    ),
    'vary?': s.described(s.count, 'the seed of --vary'),
    'console?': s.described(s.text, 'the request of --at in the console; it lets one page in'),
    'token?': s.described(s.text, 'the token that was made, beyond loopback'),
    'warnings?': s.described(s.list(s.text), 'about the tools of the project file'),
  }),
  'emulator wait': documentOf('the emulator, when it is ready', { url: s.text }),
  'emulator stop': documentOf('the emulator that has stopped', {
    stopped: s.described(s.nullable(s.text), 'its URL; null if none was running'),
  }),
  'emulator env': documentOf('the variables', {
    LECTERN_EMULATOR: s.text,
    'LECTERN_LAUNCH?': s.text,
  }),
  'emulator launch': [
    minted,
    documentOf('the page, with --print-url', { course_page: s.text }),
    documentOf('the signed token, with --token', { launch_token: s.text }),
  ],
  'emulator provision-request': minted,
  'emulator locations-request': answer('the answer', 'POST locations-request'),
  'emulator state': { ...STATE, items: STATE.schema },
  'emulator key': [
    answer('the key', 'POST key'),
    document('the saved key, with --save', itemSchema(SAVED_KEYS)),
  ],
  'emulator fault': listForm('faults', 'GET faults'),
  'emulator token end': answer('the tokens', 'POST token/end'),
  'emulator tool upload': answer('the tool and its code', 'POST tool/upload'),
  'emulator requests': [
    line('a request', OPERATIONS['GET requests/follow'].answers),
    answer('the request, with --show', 'GET request'),
    answer('the request that was sent, with --replay', 'POST requests/replay'),
  ],
  'emulator open': documentOf('the address', {
    url: s.text,
    seconds: s.described(s.count, 'how long it works'),
  }),
  'emulator show row': [
    document('the row', s.anyObject),
    withList('versions', answer('its versions, with --versions', 'GET row/versions')),
    answer('what was written, with --put', 'POST row'),
  ],
  'emulator report': [withList('findings', document('the report', REPORTED)), SARIF],
  observe: [document('the report', REPORTED), SARIF],
  'emulator import': answer('an empty object', 'POST import'),
  'emulator export': documentOf('the file', { file: s.text, bytes: s.count }),
} satisfies JsonForms;
