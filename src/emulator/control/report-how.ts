import * as s from '../../schema/schema.ts';
import {
  CODES,
  type Code,
  type CodeRow,
  explainViolation,
  violation,
} from '../../contract/index.ts';
import type { Situation } from '../review/coverage.ts';
import { FINDING } from '../review/findings.ts';
import { shownVary, VARY } from './vary.ts';
import { notJudged, reportOf } from '../review/review.ts';
import { CHAOS_REPORT, chaosReport } from '../trouble/chaos-report.ts';
import { type Control, operation } from './operation.ts';
import type { EmulatorState } from '../state/state.ts';
import type { StoredExchange } from '../review/stored-exchange.ts';
import { IS_STAFF } from '../state/world.ts';

/** The fields of a report for people and for programs. */
export const REPORT = {
  requests: s.described(s.count, 'how many requests were checked'),
  findings: s.list(FINDING),
  vary: VARY,
  chaos: s.described(s.nullable(CHAOS_REPORT), 'null where there was no chaos'),
  'differences?': s.described(
    s.list(FINDING),
    'of observe: answers of the service that the contract does not allow',
  ),
  'not_judged?': s.described(
    s.list(s.text),
    'of observe: codes that cannot be judged from outside',
  ),
};

/** Whether a situation was met, or can be. */
export const COVERED = {
  seen: s.bool,
  possible: s.described(
    s.bool,
    'whether a tool of the kind that called, external or hosted, can meet it',
  ),
};

export const REPORT_OPERATIONS = {
  'GET report': operation({
    summary: 'the report on a tool, with the command that makes a tool meet each situation',
    answers: s.object({
      ...REPORT,
      coverage: s.list(
        s.object({ id: s.typed<SituationId>(s.text), words: s.text, ...COVERED, how: s.text }),
      ),
    }),
    run: (control) => reportWithCommands(control),
  }),
};

type SituationId = Situation['id'];

/** The commands of the emulator for states that have one; a fault gives all other answers. */
const COMMANDS: Readonly<Partial<Record<SituationId, string>>> = {
  'launch.student': 'launch --role student --location {location}',
  'launch.staff': 'launch --member {staff} --location {location}',
  'launch.grade_null': 'launch --location {ungraded}',
  'launch.account': 'fixture',
  // Its version is adopted, superseded and deprecated.
  'launch.upgrade_offered':
    'tool adopt 1 --course {course} --tool {tool} && tool publish {tool} --visibility private && tool deprecate 1 {tool} && launch --location {location}',
  'launch.provision_request': 'provision-request --from {course}',
  'launch.copied_course': 'provision-request --from {course}',
  'token.idle': 'clock advance 12h',
  'token.suspended': 'tool suspend {tool}',
  'token.left': 'member remove {member}',
  'token.code_replaced': 'tool replace-code {tool}',
  'token.provision_lifetime': 'clock advance 3h',
  'token.session_expired': 'clock advance 12h',
  'row.never_written': 'launch --member {unwritten} --location {location}',
  'attempt.success': 'lms ok',
  'attempt.refused': 'lms refuse --times 1',
  'attempt.no_line_item': 'lms column missing',
  'attempt.scope': 'lms scope score',
  // It is deleted, but the tool gets no answer.
  'file.deleted_absent': 'fault --method DELETE --path /files/ --close after',
  'signed.expired': 'clock advance 10m',
  'signed.size':
    "fault --method POST --path {upload} --status 400 --body '<Error><Code>EntityTooSmall</Code></Error>'",
  'response.lost': 'fault --path . --close after',
  'response.unavailable': 'fault --path . --status 503',
  'auth.ended': 'clock advance 12h',
  'auth.key_unknown': 'tool rotate-key {tool}',
  'auth.suspended': 'tool suspend {tool}',
  'row.unprovisioned': 'provision-request --from {course}',
};

/** The command lines with the IDs filled in; one whose ID the world has not needs a fixture. */
function commandsFor(commands: string, ids: ReturnType<typeof idsOf>): string {
  const isPossible = Object.entries(ids).every(
    ([id, is]) => is !== null || !commands.includes(`{${id}}`),
  );
  const filled = Object.entries(ids).reduce(
    (line, [id, is]) => line.replaceAll(`{${id}}`, is ?? ''),
    isPossible ? commands : 'fixture',
  );
  return `lectern emulator ${filled.replaceAll(' && ', ' && lectern emulator ')}`;
}

/** Where the response with a code occurs; the first pattern that matches counts. */
const PLACES: readonly (readonly [code: RegExp, method: string, path: string])[] = [
  [/^(grade|auth\.(missing_grade|key_|other_tool|not_placed|not_this_member))/, 'POST', '/scores'],
  [/^patch/, 'PATCH', '/row'],
  [/^(body|row\.too_large)/, 'PUT', '/row'],
  [/^(row|auth)/, '', '/row'],
  [/^file\.not_found/, 'GET', '/files/'],
  [/^file/, 'PUT', '/files/'],
];

function reportWithCommands({ state, exchanges, chaos, observed }: Control) {
  const [last] = exchanges.rows<LastCall>(LAST_CALL);
  const ids = idsOf(state, last);
  const { coverage, ...report } = reportOf(exchanges, state);
  if (observed !== undefined) {
    const more = { differences: observed.differences(), not_judged: notJudged(observed.lacks) };
    // Its states cannot be caused from here.
    return { ...report, coverage: [], chaos: null, vary: null, ...more };
  }
  return {
    ...report,
    coverage: coverage.map((each) => {
      const commands = COMMANDS[each.id];
      return Object.assign(each, { how: commands ? commandsFor(commands, ids) : byFault(each.id) });
    }),
    vary: shownVary(state),
    chaos: chaos === undefined ? null : chaosReport(exchanges, report.findings, chaos.options),
  };
}

/** The next matching call gets the response of the code. */
function byFault(id: string): string {
  const code = id as Code;
  const { status = 422 } = CODES[code] as CodeRow;
  const [, method = '', path = '.'] = PLACES.find(([pattern]) => pattern.test(id)) ?? [];
  const calls = method === '' ? `--path ${path}` : `--method ${method} --path ${path}`;
  const body = JSON.stringify({ error: { code, ...wordsOf(code) } });
  return `lectern emulator fault ${calls} --status ${status} --body '${body}'`;
}

/** The message of the response, if it is always the same and can be quoted. */
function wordsOf(code: Code): { readonly message?: string } {
  const { message } = explainViolation(violation(code, ''));
  return message === '' || /undefined|NaN|'/.test(message) ? {} : { message };
}

type LastCall = Pick<StoredExchange, 'tool' | 'caller'>;
const LAST_CALL =
  'SELECT tool, caller FROM exchanges WHERE judged AND tool IS NOT NULL ORDER BY number DESC LIMIT 1';
const LAUNCHABLE = "tool IN (SELECT id FROM tools WHERE status = 'active')";
const GRADED = "(type = 'assessment' AND grade_url)";

/** IDs for the commands that cause a situation, of the last call's tool; null if the world has none. */
function idsOf({ world, chosen }: EmulatorState, { tool: called, caller }: Partial<LastCall> = {}) {
  const { courses, locations, members, tools } = world;
  const [placement] = locations.all(
    LAUNCHABLE,
    [called ?? ''],
    `tool = ? DESC, ${GRADED} DESC, rowid LIMIT 1`,
  );
  const [ungraded] = locations.all(
    `${LAUNCHABLE} AND NOT ${GRADED}`,
    [called ?? ''],
    'tool = ? DESC, rowid LIMIT 1',
  );
  const course = placement?.course ?? courses.first('true')?.id ?? null;
  const tool = placement?.tool ?? tools.first('true')?.id ?? null;
  const student = `+course = ? AND NOT "left" AND NOT ${IS_STAFF}`;
  const staff = `+course = ? AND NOT "left" AND ${IS_STAFF}`;
  const written = "SELECT member FROM rows WHERE kind = 'member' AND tool = ? AND size IS NOT NULL";
  const member =
    members.first('id = ? AND NOT "left"', [caller ?? '']) ?? members.first(student, [course]);
  return {
    course,
    tool,
    location: placement?.id ?? null,
    // Only the address of uploads has it, and a shell takes it as it is.
    upload: /(?<![^?/&])[^?/&]+(?=(?:&[^]*)?$)/.exec(chosen.signed.upload)?.[0] ?? null,
    member: member?.id ?? null,
    unwritten:
      members.all(`${student} AND id NOT IN (${written})`, [course, tool], 'rowid LIMIT 1')[0]
        ?.id ?? null,
    staff: members.first(staff, [course])?.id ?? null,
    ungraded: ungraded?.id ?? null,
  };
}
