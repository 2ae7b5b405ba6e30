import {
  any,
  bool,
  count,
  described,
  document,
  httpStatus,
  instant,
  integer,
  type JsonForms,
  line,
  list,
  mapOf,
  nullable,
  object,
  oneOf,
  text,
} from './form.ts';
import { claimFinding, claims, isCurrent, removed } from './shared.ts';

const kind = oneOf('launch', 'provision_request');

const summary = {
  name: text,
  current: isCurrent,
  kind,
  state: described(
    oneOf('unseen', 'live', 'stale', 'ended'),
    'never called; answered; quiet for longer than its lifetime; answered with 401',
  ),
  groups: nullable(list(text)),
  full_name: described(nullable(text), 'of staff only'),
  member: nullable(text),
  course: nullable(text),
  location: nullable(text),
  origin: nullable(text),
  saved: instant,
  last_success: nullable(instant),
  ended: nullable(instant),
};

const FAILED = [
  'ended',
  'forbidden',
  'unprovisioned',
  'missing',
  'refused',
  'unreachable',
] as const;

const checked = object({
  launch: text,
  token: described(text, 'a sentence'),
  stored: described(nullable(text), 'a sentence: which rows have data; null if not all were read'),
  checks: list(
    object({
      claim: text,
      url: nullable(text),
      verdict: oneOf('live', ...FAILED, 'not called'),
      state: oneOf(
        'empty',
        'has data',
        'skipped: would write',
        'skipped: null',
        ...FAILED,
        'not called',
      ),
      bytes: described(nullable(count), 'of a row as compact JSON, or of all files'),
      status: nullable(httpStatus),
      ms: nullable(count),
      message: text,
      exit: integer,
    }),
  ),
});

export const LAUNCH_FORMS: JsonForms = {
  'launch decode': [
    document(
      'the launch, explained',
      object({
        kind,
        form: oneOf('json', 'token', 'base64', 'url', 'form'),
        verified: described(oneOf(false), 'a signature is never checked'),
        'header?': mapOf(),
        claims,
        findings: list(claimFinding),
        permits: list(object({ command: text, allowed: bool, reason: text })),
        contract: described(nullable(text), 'the date of the contract that it matches'),
      }),
    ),
  ],
  'launch save': [document('the launch', object({ ...summary, findings: list(claimFinding) }))],
  'launch list': [document('the launches', list(object(summary)))],
  'launch use': [document('the launch', object(summary))],
  'launch show': [
    document('the launch, secrets masked without --reveal', object({ ...summary, claims })),
    document('the claim, with --reveal CLAIM', any),
  ],
  'launch rm': [document('the name', removed)],
  'launch check': [document('the results', checked), line('the results, with --watch', checked)],
};

const savedKey = object({ name: text, origin: text, saved: instant });
const listedKey = object({ name: text, origin: text, saved: instant, current: bool });

export const KEY_FORMS: JsonForms = {
  'key save': [document('the key without the key itself', savedKey)],
  'key list': [document('the keys', list(listedKey))],
  'key use': [document('the key without the key itself', listedKey)],
  'key rm': [document('the name', removed)],
};
