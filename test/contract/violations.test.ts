import { describe, expect, test } from 'vitest';
import { checkDeclaration, checkKey, checkQuota } from '../../src/contract/files.ts';
import { gradeUrlFor } from '../../src/contract/grade-url.ts';
import { checkGradeBody } from '../../src/contract/grades.ts';
import { parseJson } from '../../src/json/index.ts';
import { applyPatch } from '../../src/contract/apply-patch.ts';
import { checkPatchBody } from '../../src/contract/patch.ts';
import { checkRowBody, checkRowSize, ROW_KINDS } from '../../src/contract/rows.ts';
import {
  type Code,
  CODES,
  explainViolation,
  isCertain,
  type Params,
  refusal,
  type Violation,
  violation,
} from '../../src/contract/violations.ts';

const ALL = Object.keys(CODES) as Code[];
/** "403, no message": what the service answers a student who grades someone else. */
const WORDLESS: Code = 'auth.not_this_member';
/** What a figure leaves in a sentence when it is missing, or is an object. */
const HOLE = /undefined|\[object|\$\{/;

/** What stands in for a figure: a value of the sort it has, else its own name. */
const SAMPLES: Params = { index: 3, size: 524_289, limit: 524_288, count: 100, total: 104_857_601 };
const realistic = new Proxy<Params>(SAMPLES, {
  get: (samples, name) => samples[String(name)] ?? `the ${String(name)}`,
});

describe('each code', () => {
  test.each(ALL)('%s says what is wrong, by which rule, and the way out', (code) => {
    const { message, rule, hint } = explainViolation({ code, path: '', params: realistic });
    for (const words of code === WORDLESS ? [rule, hint] : [message, rule, hint]) {
      expect(words).toMatch(/\w/);
      expect(words).not.toMatch(HOLE);
      expect(words).toBe(words.trim());
    }
  });

  test('has a message, except for the one that the contract gives none', () => {
    const wordless = ALL.filter((code) => CODES[code].message(realistic) === '');
    expect(wordless).toEqual([WORDLESS]);
  });

  test('is named by its area and a word', () => {
    expect(ALL.filter((code) => !/^[a-z_]+\.[a-z_]+$/.test(code))).toEqual([]);
  });

  test('is not a warning where it has a status, but for what the emulator refuses in doubt', () => {
    const doubtful = ALL.filter((code) => {
      const { status, severity } = CODES[code];
      return severity === 'warning' && status !== undefined;
    });
    expect(doubtful).toEqual(['patch.op_unsupported']);
  });

  test('of a grade address has no status: nothing is sent that could be answered', () => {
    const addresses = ALL.filter((code) => code.startsWith('grade_url.'));
    expect(addresses.length).toBe(5);
    expect(addresses.map((code) => [CODES[code].status, CODES[code].severity])).toEqual(
      addresses.map(() => [undefined, 'error']),
    );
  });
});

describe('the messages of the contract', () => {
  test.each<[Code, number, string, Params]>([
    ['grade.score_range', 422, 'score must be between 0 and 1', { value: '2' }],
    ['grade.max_score_range', 422, 'max_score must be greater than 0', { value: '0' }],
    ['grade.activity_progress', 422, 'activity_progress must be one of [Completed, Submitted]', {}],
    ['grade.grading_progress', 422, 'grading_progress must be one of [FullyGraded, Pending]', {}],
    ['grade.not_assessment', 422, 'grade passback is only allowed for assessment locations', {}],
    ['auth.missing_grade', 401, 'Missing Bearer API key', {}],
    ['auth.key_unknown', 401, 'Invalid API key', {}],
    ['auth.suspended', 401, 'App is suspended', {}],
    [
      'auth.other_tool',
      403,
      'API key is for tool t1, not tool t2',
      { key_tool: 't1', url_tool: 't2' },
    ],
    [
      'auth.not_placed',
      403,
      'tool t1 has no placement of location l1 in context c1',
      { tool: 't1', location: 'l1', context: 'c1' },
    ],
    ['auth.not_this_member', 403, '', {}],
  ])('%s', (code, status, message, params) => {
    expect(explainViolation(violation(code, '', params))).toMatchObject({
      status,
      message,
      severity: 'error',
    });
  });
});

describe('the statuses of the contract', () => {
  test.each<[Code, number]>([
    ['auth.missing', 401],
    ['auth.ended', 401],
    ['auth.unknown', 401],
    ['auth.key_not_accepted', 401],
    ['row.forbidden', 403],
    ['row.not_member', 403],
    ['row.not_found', 404],
    ['file.not_found', 404],
    ['row.unprovisioned', 422],
    ['row.too_large', 422],
    ['body.syntax', 422],
    ['body.not_object', 422],
    ['patch.no_wrapper', 422],
    ['patch.op_unknown', 422],
    ['patch.op_unsupported', 422],
    ['file.key_invalid', 422],
    ['file.too_large', 422],
    ['files.too_many', 422],
    ['files.quota_exceeded', 422],
  ])('%s: %d', (code, status) => {
    expect(CODES[code].status).toBe(status);
  });

  test.each<Code>([
    'row.maybe_too_large',
    'file.maybe_too_large',
    'files.maybe_quota_exceeded',
    'grade.launch_id',
    'grade.unknown_field',
  ])('%s: none, for it is accepted', (code) => {
    expect(CODES[code].status).toBeUndefined();
    expect(CODES[code].severity).toBe('warning');
  });
});

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function ofRows(): Violation[] {
  return [
    ...ROW_KINDS.flatMap((kind) =>
      [600_000, 1_040_000, 2_000_000].flatMap((size) => checkRowSize(kind, size)),
    ),
    ...checkRowSize('member', 512_001),
    ...['{', '[]', ''].flatMap((text) => checkRowBody('member', bytes(text)).violations),
    ...checkRowBody('member', Uint8Array.of(0xff)).violations,
  ];
}

function ofPatches(): Violation[] {
  const bodies = [
    '[]',
    '5',
    '{}',
    '{"patch":{}}',
    `{"patch":[5, {}, {"op":1,"path":1}, {"op":"put","path":"/a"}, {"op":"move","path":"/a"},
      {"op":"add","path":"a"}, {"op":"add","path":"/~2","value":1}, {"op":"add"},
      {"op":"remove","path":""}, {"op":"replace","path":"","value":5}]}`,
  ];
  const operations = [
    '{"op":"remove","path":"/none/x"}',
    '{"op":"replace","path":"/none","value":1}',
    '{"op":"add","path":"/text/x","value":1}',
    '{"op":"add","path":"/list/01","value":1}',
    '{"op":"add","path":"/list/9","value":1}',
  ];
  return [
    ...bodies.flatMap((text) => checkPatchBody(parseJson(text).value).violations),
    ...operations.flatMap((text) => {
      const checked = checkPatchBody(parseJson(`{"patch":[${text}]}`).value);
      const row = parseJson('{"text":"t","list":[1]}').value;
      const outcome = row instanceof Map ? applyPatch(row, checked.operations) : { row };
      return 'violation' in outcome ? [outcome.violation] : [];
    }),
  ];
}

function ofFiles(): Violation[] {
  const full = Array.from({ length: 100 }, (_, index) => ({ key: `f${index}`, size: 1 }));
  return [
    ...['', '.a', 'a b', 'a'.repeat(129)].flatMap((key) => checkKey(key)),
    ...[
      {},
      { size: '1' },
      { size: -1 },
      { size: 25_000_001 },
      { size: 30_000_000 },
      { size: 1, mimetype: 1, filename: 1, attachment: 1 },
      { size: 1, mimetype: null, filename: null, attachment: null },
    ].flatMap((body) => checkDeclaration('k', body).violations),
    ...checkQuota('context', full, 'new', 1),
    ...ROW_KINDS.flatMap((kind) => checkQuota(kind, [], 'new', 600_000_000)),
    ...checkQuota('member', [], 'new', 100_000_001),
  ];
}

function ofGrades(): Violation[] {
  const addresses = [
    gradeUrlFor('https://h/contexts/c/m1', 'm1', '..'),
    gradeUrlFor('https://h/account/v1/users/m1', 'm1', 'm2'),
    gradeUrlFor('https://h/contexts/c/m9', 'm1', 'm2'),
    gradeUrlFor('https://h/contexts/c/m1/m1', 'm1', 'm2'),
    gradeUrlFor('https://h/contexts/c/m1', undefined, 'm2'),
  ];
  return [
    ...[
      {},
      { score: 2, max_score: 0, comment: 1, activity_progress: 'x', grading_progress: 'x' },
      { score: '1', max_score: '1', comment: null, launch_id: 'l', x: 1 },
      { score: -1, max_score: Infinity },
    ].flatMap((body) => checkGradeBody(body)),
    ...addresses.flatMap((outcome) => ('violation' in outcome ? [outcome.violation] : [])),
  ];
}

describe('what the rules find', () => {
  const found = [...ofRows(), ...ofPatches(), ...ofFiles(), ...ofGrades()];

  test.each(found)('$code gives its words all their figures', (each) => {
    const { message, hint } = explainViolation(each);
    expect(message).toMatch(/\w/);
    expect(hint).toMatch(/\w/);
    expect(`${message} ${hint}`).not.toMatch(HOLE);
  });

  // So that none of them goes unsaid above; what the emulator and the validator find is theirs.
  test('is every code that these rules have', () => {
    const codes: Code[] = [
      'body.not_object',
      'body.syntax',
      'file.attachment_invalid',
      'file.filename_invalid',
      'file.key_invalid',
      'file.maybe_too_large',
      'file.mimetype_invalid',
      'file.null_field',
      'file.size_invalid',
      'file.size_missing',
      'file.too_large',
      'files.maybe_quota_exceeded',
      'files.quota_exceeded',
      'files.too_many',
      'grade.activity_progress',
      'grade.comment_not_string',
      'grade.grading_progress',
      'grade.launch_id',
      'grade.max_score_not_number',
      'grade.max_score_range',
      'grade.null_field',
      'grade.score_missing',
      'grade.score_not_number',
      'grade.score_range',
      'grade.unknown_field',
      'grade_url.member_absent',
      'grade_url.member_invalid',
      'grade_url.member_twice',
      'grade_url.not_contexts',
      'patch.index_invalid',
      'patch.index_out_of_bounds',
      'patch.no_wrapper',
      'patch.not_array',
      'patch.op_missing',
      'patch.op_not_string',
      'patch.op_unknown',
      'patch.op_unsupported',
      'patch.operation_not_object',
      'patch.parent_not_container',
      'patch.path_malformed',
      'patch.path_missing',
      'patch.path_not_string',
      'patch.remove_root',
      'patch.root_not_object',
      'patch.target_missing',
      'patch.value_missing',
      'row.maybe_too_large',
      'row.too_large',
    ];
    expect([...new Set(found.map(({ code }) => code))].sort()).toEqual(codes.sort());
  });
});

describe('a violation', () => {
  test('has a code, a place and figures', () => {
    expect(violation('grade.score_missing', '/score')).toEqual({
      code: 'grade.score_missing',
      path: '/score',
      params: {},
    });
  });

  test('is explained by the row of its code', () => {
    const each = violation('file.too_large', '/size', { size: 2, limit: 1, label: '1 B' });
    expect(explainViolation(each)).toEqual({
      message: 'size 2 exceeds the 1 B limit of a file',
      rule: CODES['file.too_large'].rule,
      hint: 'the limit is 1 bytes',
      severity: 'error',
      status: 422,
    });
  });

  test('is certain when it is an error', () => {
    expect(isCertain(violation('row.too_large', ''))).toBe(true);
    expect(isCertain(violation('row.maybe_too_large', ''))).toBe(false);
    expect(isCertain(violation('patch.op_unsupported', ''))).toBe(false);
  });
});

describe('refusal', () => {
  const warning = violation('grade.unknown_field', '/x', { field: 'x' });
  const first = violation('grade.score_missing', '/score');
  const second = violation('grade.comment_not_string', '/comment', { found: 'a number' });

  test('is the first violation that has a status', () => {
    expect(refusal([warning, first, second])).toBe(first);
    expect(refusal([second, first])).toBe(second);
  });

  test('is a warning too, where the emulator refuses what is open', () => {
    const open = violation('patch.op_unsupported', '/patch/0/op', { index: 0, op: 'move' });
    expect(refusal([warning, open])).toBe(open);
  });

  test('is none where nothing is refused', () => {
    expect(refusal([])).toBeUndefined();
    expect(refusal([warning])).toBeUndefined();
  });
});
