import * as s from '../../schema/schema.ts';
import {
  itemSchema,
  document,
  type JsonForms,
  wholeLine,
  list,
  listIn,
  claimFinding,
  claims,
  removed,
  documentOf,
  withList,
} from './forms.ts';
import { CAPTURED_ROWS, CHECKS } from './checks.ts';
import { SAVED_LAUNCHES } from './launch.ts';
import { SAVED_KEYS } from './saved.ts';

const launch = itemSchema(SAVED_LAUNCHES);
const PERMIT = s.object({
  command: s.described(s.text, 'the command as typed, such as storage put context'),
  allowed: s.bool,
  reason: s.text,
});
/** Whether a launch permits a command. */
export type Permit = s.Static<typeof PERMIT>;

const checked = s.object({
  launch: s.text,
  token: s.described(s.text, 'a sentence'),
  stored: s.described(
    s.nullable(s.text),
    'a sentence: which rows have data; null if not all were read',
  ),
  checks: s.list(itemSchema(CHECKS)),
});

export const LAUNCH_FORMS = {
  'launch decode': documentOf('the launch, explained', {
    kind: s.oneOf('launch', 'provision_request'),
    form: s.oneOf('json', 'token', 'base64', 'url', 'form'),
    verified: s.described(s.oneOf(false), 'a signature is never checked'),
    'header?': s.anyObject,
    claims,
    findings: s.list(claimFinding),
    permits: s.list(PERMIT),
    contract: s.described(s.nullable(s.text), 'the date of the contract that it matches'),
  }),
  'launch save': document(
    'the launch',
    itemSchema(SAVED_LAUNCHES, { findings: s.list(claimFinding) }),
  ),
  'launch list': list('the launches', launch),
  'launch use': document('the launch', launch),
  'launch show': [
    document('the launch, secrets masked without --reveal', itemSchema(SAVED_LAUNCHES, { claims })),
    document('the claim, with --reveal CLAIM', s.any),
  ],
  'launch rm': document('the name', removed),
  'launch capture': listIn('rows', 'what was captured', {
    seed: s.described(s.text, 'the file'),
    launch: s.text,
    ...s.texts('course', 'location'),
    member: s.described(s.nullable(s.text), 'by its ID in the seed; null for a provision request'),
    rows: s.list(itemSchema(CAPTURED_ROWS)),
    left_out: s.list(s.object({ row: s.text, 'key?': s.text, reason: s.text })),
  }),
  'launch check': [
    withList('checks', document('the results', checked)),
    wholeLine('the results, with --watch', checked),
  ],
} satisfies JsonForms;

const key = itemSchema(SAVED_KEYS);

export const KEY_FORMS = {
  'key save': document('the key without the key itself', key),
  'key list': list('the keys', key),
  'key use': document('the key without the key itself', key),
  'key show': document('the key without the key itself', key),
  'key rm': document('the name', removed),
} satisfies JsonForms;
