import * as s from '../../schema/schema.ts';
import { document, type JsonForms, line } from './form.ts';
import { claimFinding, claims, isCurrent, removed, savedKey } from './shared.ts';

const kind = s.oneOf('launch', 'provision_request');

const summary = {
  name: s.text,
  current: isCurrent,
  kind,
  state: s.described(
    s.oneOf('unseen', 'live', 'stale', 'ended'),
    'never called; answered; quiet for longer than its lifetime; answered with 401',
  ),
  groups: s.nullable(s.list(s.text)),
  full_name: s.described(s.nullable(s.text), 'of staff only'),
  member: s.nullable(s.text),
  course: s.nullable(s.text),
  location: s.nullable(s.text),
  origin: s.nullable(s.text),
  saved: s.instant,
  last_success: s.nullable(s.instant),
  ended: s.nullable(s.instant),
};

const FAILED = [
  'ended',
  'forbidden',
  'unprovisioned',
  'missing',
  'refused',
  'unreachable',
] as const;

const checked = s.object({
  launch: s.text,
  token: s.described(s.text, 'a sentence'),
  stored: s.described(
    s.nullable(s.text),
    'a sentence: which rows have data; null if not all were read',
  ),
  checks: s.list(
    s.object({
      claim: s.text,
      url: s.nullable(s.text),
      verdict: s.oneOf('live', ...FAILED, 'not called'),
      state: s.oneOf(
        'empty',
        'has data',
        'skipped: would write',
        'skipped: null',
        ...FAILED,
        'not called',
      ),
      bytes: s.described(s.nullable(s.count), 'of a row as compact JSON, or of all files'),
      status: s.nullable(s.httpStatus),
      ms: s.nullable(s.count),
      message: s.text,
      exit: s.integer,
    }),
  ),
});

export const LAUNCH_FORMS: JsonForms = {
  'launch decode': [
    document(
      'the launch, explained',
      s.object({
        kind,
        form: s.oneOf('json', 'token', 'base64', 'url', 'form'),
        verified: s.described(s.oneOf(false), 'a signature is never checked'),
        'header?': s.anyObject,
        claims,
        findings: s.list(claimFinding),
        permits: s.list(s.object({ command: s.text, allowed: s.bool, reason: s.text })),
        contract: s.described(s.nullable(s.text), 'the date of the contract that it matches'),
      }),
    ),
  ],
  'launch save': [document('the launch', s.object({ ...summary, findings: s.list(claimFinding) }))],
  'launch list': [document('the launches', s.list(s.object(summary)))],
  'launch use': [document('the launch', s.object(summary))],
  'launch show': [
    document('the launch, secrets masked without --reveal', s.object({ ...summary, claims })),
    document('the claim, with --reveal CLAIM', s.any),
  ],
  'launch rm': [document('the name', removed)],
  'launch check': [document('the results', checked), line('the results, with --watch', checked)],
};

const listedKey = s.object({ name: s.text, origin: s.text, saved: s.instant, current: s.bool });

export const KEY_FORMS: JsonForms = {
  'key save': [document('the key without the key itself', savedKey)],
  'key list': [document('the keys', s.list(listedKey))],
  'key use': [document('the key without the key itself', listedKey)],
  'key rm': [document('the name', removed)],
};
