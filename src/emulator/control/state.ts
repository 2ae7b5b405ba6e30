import type { GradeAttempt } from '../../contract/index.ts';
import { filesOf } from '../service/files.ts';
import { lmsAt, type ScorePayload } from '../service/lms.ts';
import type { EmulatorState } from '../state.ts';
import { endOf } from '../service/tokens.ts';
import type { ToolCode } from '../store/records.ts';

/** Everything that is kept, for people and tests to look at; row bodies by their size. */
export function stateOf(state: EmulatorState) {
  const { world, store } = state;
  return {
    now: new Date(state.clock.now()).toISOString(),
    tools: [...world.tools.values()].map(named),
    courses: [...world.courses.values()].map(named),
    locations: [...world.locations.values()].map((location) =>
      Object.assign(named(location), { lms: named(lmsAt(state, location.id)) }),
    ),
    members: [...world.members.values()].map(named),
    provisioned: [...state.provisioned.entries()].map(([row, { at }]) => ({ row, at })),
    rows: [...store.rows()].map(({ key, body }) => ({ row: key, bytes: body.length })),
    files: filesState(state),
    codes: [...state.hosted.codes.values()].map(shownCode),
    attempts: [...store.attempts<GradeAttempt>()],
    gradebook: store.gradebook<ScorePayload>(),
    tokens: tokensState(state),
  };
}

/** A record under the names that the contract and seeds use: `lms_user` for `lmsUser`. */
function named<Kept extends object>(record: Kept): Named<Kept> {
  const snake = (name: string): string =>
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const entries = Object.entries(record).map(([name, value]) => [snake(name), value]);
  return Object.fromEntries(entries) as Named<Kept>;
}

type Named<Kept> = { readonly [Name in keyof Kept as Snake<Name & string>]: Kept[Name] };

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : Name;

/** The code of a version, as the control side tells of it. */
export function shownCode({ tool, version, sha256, zipSize, size, files, uploaded }: ToolCode) {
  return { tool, version, files, bytes: size, zip_bytes: zipSize, sha256, uploaded };
}

function filesState(state: EmulatorState) {
  const rows = new Set([...state.files.values()].map(({ row }) => row));
  return [...rows].flatMap((row) =>
    filesOf(state, row).map(({ key, size, modified, contentType, filename, attachment }) => {
      return { row, key, size, modified, content_type: contentType, filename, attachment };
    }),
  );
}

/** Tokens by their launch: the texts themselves are secrets. */
function tokensState(state: EmulatorState) {
  const now = state.clock.now();
  return [...state.tokens.values()].map((token) => {
    const { kind, launchId, tool, course, location, member, issued, lastCall } = token;
    const ended = endOf(token, now);
    const times = { issued, last_call: lastCall, ended };
    return Object.assign(times, { kind, launch_id: launchId, tool, course, location, member });
  });
}
