import { type Answers, OPERATIONS, REPORT, COVERED as SEEN } from '../../emulator/index.ts';
import * as s from '../../schema/schema.ts';
import {
  document,
  type JsonForm,
  type JsonForms,
  line,
  listIn,
  mapIn,
  whole,
  claims,
  SARIF,
} from './forms.ts';
import { schemaOfItem } from './resource.ts';
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

/** The same form for several commands of a group. */
function each<Group extends string, Name extends string, Value>(
  group: Group,
  names: readonly Name[],
  form: JsonForm<Value>,
) {
  const entries = names.map((name) => [`${group} ${name}`, [form]] as const);
  return Object.fromEntries(entries) as unknown as Record<
    `${Group} ${Name}`,
    readonly [JsonForm<Value>]
  >;
}

/** A page of a list. */
function page<Name extends ListOperation>(name: Name) {
  return listIn('items', answer<Name>('a page of the list', name));
}
type ListOperation = {
  [Name in keyof Answers]: Answers[Name] extends { items: unknown } ? Name : never;
}[keyof Answers];

const minted = document('the claims', claims);
const faults = listIn('faults', answer('the pending faults', 'GET faults'));
const tokens = answer('the tokens', 'POST token/end');

const COVERED = s.object({ situation: s.text, ...SEEN, how: s.text });
/** A situation, whether the tool has met it, and the command that causes it. */
export type Covered = s.Static<typeof COVERED>;

const REPORTED = s.object({ ...REPORT, coverage: s.list(COVERED) });
export type ReportDocument = s.Static<typeof REPORTED>;

export const EMULATOR_FORMS = {
  'emulator start': [
    document(
      'the emulator, when it is ready',
      s.object({
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
    ),
  ],
  'emulator wait': [document('the emulator, when it is ready', s.object({ url: s.text }))],
  'emulator stop': [
    document(
      'the emulator that has stopped',
      s.object({ stopped: s.described(s.nullable(s.text), 'its URL; null if none was running') }),
    ),
  ],
  'emulator env': [
    document('the variables', s.object({ LECTERN_EMULATOR: s.text, 'LECTERN_LAUNCH?': s.text })),
  ],
  'emulator launch': [
    minted,
    document('the page, with --print-url', s.object({ course_page: s.text })),
    document('the signed token, with --token', s.object({ launch_token: s.text })),
  ],
  'emulator provision-request': [minted],
  'emulator locations-request': [answer('the answer', 'POST locations-request')],
  'emulator fixture': [
    answer('launches of every kind, keys, addresses and hooks, by name', 'POST fixture'),
  ],
  'emulator state': [whole(answer('all state', 'GET state'))],
  'emulator key': [
    answer('the key', 'POST key'),
    document('the saved key, with --save', schemaOfItem(SAVED_KEYS, s)),
  ],
  ...each(
    'emulator lms',
    ['ok', 'refuse', 'scope', 'column', 'points', 'slow'],
    mapIn('lms', answer('the LMS, by location', 'POST lms')),
  ),
  ...each('emulator clock', ['show', 'advance', 'set', 'reset'], answer('the clock', 'GET clock')),
  'emulator fault': [faults],
  ...each('emulator fault', ['list', 'remove', 'clear'], faults),
  'emulator token end': [tokens],
  'emulator member remove': [tokens],
  ...each(
    'emulator tool',
    ['suspend', 'activate', 'archive', 'replace-code', 'publish', 'approve', 'deprecate', 'pilot'],
    answer('the tool', 'POST tool'),
  ),
  'emulator tool adopt': [answer('the version', 'POST adopt')],
  'emulator tool upload': [answer('the tool and its code', 'POST tool/upload')],
  'emulator requests': [
    line('a request', OPERATIONS['GET requests/follow'].answers),
    answer('the request, with --show', 'GET request'),
    answer('the request that was sent, with --replay', 'POST requests/replay'),
  ],
  'emulator open': [
    document(
      'the address',
      s.object({ url: s.text, seconds: s.described(s.count, 'how long it works') }),
    ),
  ],
  'emulator show members': [page('GET members')],
  'emulator show tokens': [page('GET tokens')],
  'emulator show rows': [page('GET rows')],
  'emulator show file-sets': [page('GET file-sets')],
  'emulator show files': [page('GET files')],
  'emulator show attempts': [page('GET attempts')],
  'emulator show gradebook': [page('GET gradebook')],
  'emulator show row': [
    document('the row', s.anyObject),
    listIn('versions', answer('its versions, with --versions', 'GET row/versions')),
    answer('what was written, with --put', 'POST row'),
  ],
  'emulator report': [document('the report', REPORTED), SARIF],
  observe: [document('the report', REPORTED), SARIF],
  ...each('emulator', ['reset', 'import'], answer('an empty object', 'POST reset')),
  'emulator export': [document('the file', s.object({ file: s.text, bytes: s.count }))],
} satisfies JsonForms;
