import { describe, expect } from 'vitest';
import { byId, type Launch, rule, rules, START, type Subject } from '../../subject.ts';

const AMINA = 'member-111';
const BO = 'member-112';

const FIELDS = [
  'activity_progress',
  'annotations',
  'data',
  'grading_progress',
  'id',
  'lineitem',
  'max_score',
  'score',
  'status',
  'submitted',
];

async function keyOf(control: Subject['control'], tool: string): Promise<string> {
  const { tools } = await control('state');
  return String(byId(tools, tool).api_key);
}

async function attempts(control: Subject['control']): Promise<readonly { id: string }[]> {
  return (await control('state')).attempts;
}

/** Submits a grade; the instant of the attempt, however it is written. */
async function submittedBy(launch: Launch): Promise<number> {
  return Date.parse((await launch.grade({ score: 0.5 })).json().submitted);
}

describe('Resources: grade attempt', () => {
  rule(
    'has exactly the documented fields',
    async ({ launch }) => {
      const amina = await launch({ member: AMINA });
      const answer = await amina.grade({ score: 0.85, max_score: 50, comment: 'good' });
      expect(answer.status).toBe(200);
      const attempt = answer.json();
      expect(Object.keys(attempt).sort()).toEqual(FIELDS);
      expect(attempt).toMatchObject({
        status: 'success',
        score: 0.85,
        max_score: 50,
        activity_progress: 'Completed',
        grading_progress: 'FullyGraded',
        data: {
          comment: 'good',
          error: '',
          source_type: 'launch_token',
          source_id: 'user-111',
        },
        annotations: {
          member: AMINA,
          location: amina.claims.location.id,
          app: 'essay',
          context: 'biology-101',
        },
      });
      expect(attempt.id).not.toBe('');
      expect(attempt.lineitem).not.toBe('');
      expect(Object.keys(attempt.data).sort()).toEqual([
        'comment',
        'error',
        'response',
        'source_id',
        'source_type',
      ]);
      expect(Object.keys(attempt.data.response ?? {}).sort()).toEqual(['body', 'status']);
      expect(Object.keys(attempt.annotations).sort()).toEqual([
        'app',
        'context',
        'location',
        'member',
      ]);
    },
    ['fields'],
  );

  rule('has defaults if only a score was sent', async ({ launch }) => {
    const attempt = (await (await launch()).grade({ score: 1 })).json();
    expect(attempt).toMatchObject({
      score: 1,
      max_score: null,
      activity_progress: 'Completed',
      grading_progress: 'FullyGraded',
    });
    expect(attempt.data.comment).toBe('');
  });

  rule(
    'has an ISO 8601 time in submitted, later for each attempt even with a stopped clock',
    async ({ launch }) => {
      const amina = await launch({ member: AMINA });
      const times: string[] = [];
      for (let index = 0; index < 5; index++)
        times.push((await amina.grade({ score: 0.5 })).json().submitted);
      expect(Date.parse(times[0] ?? '')).toBe(START);
      const instants = times.map((time) => Date.parse(time));
      expect(instants).toEqual(instants.toSorted((a, b) => a - b));
      expect(new Set(times).size).toBe(5);
      const many = await Promise.all(Array.from({ length: 20 }, () => amina.grade({ score: 0.5 })));
      const all = [...times, ...many.map((answer) => answer.json().submitted)];
      expect(new Set(all).size).toBe(25);
    },
  );

  rule('has a later submitted than earlier attempts of any member', async ({ launch }) => {
    const [amina, bo] = [await launch({ member: AMINA }), await launch({ member: BO })];
    const times: number[] = [];
    for (const each of [amina, bo, bo, amina]) times.push(await submittedBy(each));
    expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b));
    expect(times).toHaveLength(4);
  });

  rule('has a later submitted even after the clock was set back', async ({ launch, control }) => {
    const [amina, bo] = [await launch({ member: AMINA }), await launch({ member: BO })];
    const first = await submittedBy(amina);
    await control('clock', { advance_seconds: -3600 });
    const second = await submittedBy(bo);
    expect(second).toBeGreaterThan(first);
    expect(await submittedBy(amina)).toBeGreaterThan(second);
  });

  rule(
    'reaches the LMS at the same time, with the score in points and an identifier that no tool sees',
    async ({ launch, control }) => {
      const amina = await launch({ member: AMINA });
      const answer = await amina.grade({
        score: 0.85,
        comment: 'well',
        activity_progress: 'Submitted',
        grading_progress: 'Pending',
      });
      const { gradebook, members } = await control('state');
      const { lms_user: lmsUser } = byId(members, AMINA);
      expect(gradebook).toEqual([
        {
          location: amina.claims.location.id,
          member: AMINA,
          payload: {
            userId: lmsUser,
            scoreGiven: 85,
            scoreMaximum: 100,
            comment: 'well',
            activityProgress: 'Submitted',
            gradingProgress: 'Pending',
            timestamp: answer.json().submitted,
          },
        },
      ]);
      expect(answer.text).not.toContain(lmsUser);
      expect(JSON.stringify(amina.claims)).not.toContain(lmsUser);
    },
  );

  rule(
    'hides the identifier even if the response of the LMS contains it',
    async ({ launch, control }) => {
      const amina = await launch({ member: AMINA });
      const { members } = await control('state');
      const { lms_user: lmsUser } = byId(members, AMINA);
      await control('lms', { refuse: { status: 404, body: `no user ${lmsUser}` } });
      const answer = await amina.grade({ score: 0.5 });
      expect(answer.json().data.response?.status).toBe(404);
      expect(answer.text).not.toContain(lmsUser);
    },
  );
});

describe('Grade submission: request body', () => {
  rules(
    'activity_progress %s is accepted',
    [
      ['Completed', 'FullyGraded'],
      ['Submitted', 'Pending'],
    ] as const,
    async ({ launch }, activity_progress, grading_progress) => {
      const answer = await (
        await launch()
      ).grade({ score: 1, activity_progress, grading_progress });
      expect(answer.json()).toMatchObject({ activity_progress, grading_progress });
    },
  );

  rule(
    'max_score sets the points of the column before it publishes; without it they stay',
    async ({ launch, control }) => {
      const amina = await launch({ member: AMINA });
      await amina.grade({ score: 0.85, max_score: 50 });
      const cell = async () => (await control('state')).gradebook[0]?.payload;
      expect(await cell()).toMatchObject({ scoreGiven: 42.5, scoreMaximum: 50 });
      await amina.grade({ score: 1 });
      expect(await cell()).toMatchObject({ scoreGiven: 50, scoreMaximum: 50 });
    },
  );
});

describe('Grade submission: rules', () => {
  rule(
    '1: every call is a separate attempt and a separate call to the LMS',
    async ({ launch, control }) => {
      const amina = await launch({ member: AMINA });
      const ids = [
        (await amina.grade({ score: 0.5 })).json().id,
        (await amina.grade({ score: 0.5 })).json().id,
      ];
      expect(new Set(ids).size).toBe(2);
      expect((await attempts(control)).map(({ id }) => id)).toEqual(ids);
    },
  );

  rule(
    '2: a refusal by the LMS is 200 with status failed, its reason and its response',
    async ({ launch, control }) => {
      await control('lms', { refuse: { status: 403, body: '{"errors":["locked"]}' } });
      const amina = await launch({ member: AMINA });
      const answer = await amina.grade({ score: 0.5, max_score: 20 });
      expect(answer.status).toBe(200);
      const { status, data, lineitem } = answer.json();
      expect(status).toBe('failed');
      expect(data.error).not.toBe('');
      expect(data.response).toEqual({ status: 403, body: { errors: ['locked'] } });
      expect(lineitem).not.toBe('');
      const state = await control('state');
      expect(state.gradebook).toEqual([]);
      expect(byId(state.locations, 'essay-1').column?.points).toBe(20);
      await control('lms', { ok: true });
      expect((await amina.grade({ score: 0.5 })).json().status).toBe('success');
    },
  );

  rule(
    '3: max_score without the line item scope is a failed attempt; without max_score it is none',
    async ({ launch, control }) => {
      await control('lms', { scope: 'score', location: 'essay-1' });
      const amina = await launch({ member: AMINA, location: 'essay-1' });
      const { status, data } = (await amina.grade({ score: 0.5, max_score: 20 })).json();
      expect([status, data.response]).toEqual(['failed', null]);
      expect(data.error).toMatch(/line item scope/);
      expect((await amina.grade({ score: 0.5 })).json().status).toBe('success');
      const other = await launch({ member: AMINA, location: 'essay-2' });
      expect((await other.grade({ score: 0.5, max_score: 20 })).json().status).toBe('success');
    },
  );

  rule('4: a location without a gradebook column gives a failed attempt', async ({ launch }) => {
    const amina = await launch({ member: AMINA, location: 'essay-unlinked' });
    const answer = await amina.grade({ score: 0.5 });
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({
      status: 'failed',
      lineitem: '',
      data: { error: 'location has no line item', response: null },
    });
  });

  rule('4: a gradebook column can be removed and restored', async ({ launch, control }) => {
    const amina = await launch({ member: AMINA, location: 'essay-1' });
    const { lineitem } = (await amina.grade({ score: 0.5 })).json();
    await control('lms', { column: 'missing', location: 'essay-1' });
    expect((await amina.grade({ score: 0.5 })).json().data.error).toBe('location has no line item');
    await control('lms', { column: 'present', location: 'essay-1' });
    expect((await amina.grade({ score: 0.5 })).json().lineitem).toBe(lineitem);
  });

  rule(
    '5: grade.submit is null if the location is not an assessment, or if it is set to null',
    async ({ launch, control }) => {
      expect((await launch({ location: 'essay-guide' })).claims.grade.submit).toBeNull();
      await control('lms', { grade_url: 'null', location: 'essay-2' });
      expect((await launch({ location: 'essay-2' })).claims.grade.submit).toBeNull();
    },
  );

  rule(
    '7: attempts cannot be read',
    async ({ launch }) => {
      const amina = await launch();
      const { id } = (await amina.grade({ score: 0.5 })).json();
      expect((await amina.get(amina.submit)).status).toBe(405);
      const [path, query] = amina.submit.split('?');
      expect((await amina.get(`${path}/${id}?${query}`)).status).toBe(404);
    },
    ['other_methods'],
  );

  rule('a location that is not an assessment gives 422', async ({ launch, control }) => {
    const staff = await launch({ role: 'instructor', location: 'essay-1' });
    const url = staff.submit.replace('essay-1', 'essay-guide');
    const answer = await staff.grade({ score: 1 }, url);
    expect([answer.status, answer.message]).toEqual([
      422,
      'grade passback is only allowed for assessment locations',
    ]);
    expect(await attempts(control)).toEqual([]);
  });
});

describe('Authentication: grade submission', () => {
  rule(
    '5: a student can only grade themselves: otherwise 403 without a message',
    async ({ launch, control }) => {
      const [amina, bo] = [await launch({ member: AMINA }), await launch({ member: BO })];
      for (const url of [
        bo.submit,
        amina.submit.replace(AMINA, 'member-101'),
        amina.submit.replace(AMINA, 'nobody'),
      ]) {
        const answer = await amina.grade({ score: 1 }, url);
        expect(answer.status).toBe(403);
        // In lectern's envelope, its code stands alone.
        expect(answer.message).toMatch(/^(auth\.not_this_member)?$/);
      }
      expect(await attempts(control)).toEqual([]);
    },
  );

  for (const role of ['manager', 'instructor', 'assistant'] as const) {
    rule(`an ${role} grades any member by changing the member segment`, async ({ launch }) => {
      const staff = await launch({ role });
      const own = staff.claims.user.member;
      const answer = await staff.grade({ score: 1 }, staff.submit.replace(own, BO));
      expect(answer.status).toBe(200);
      const { data, annotations } = answer.json();
      expect(annotations.member).toBe(BO);
      expect(data).toMatchObject({
        source_type: 'launch_token',
        source_id: own.replace('member', 'user'),
      });
    });
  }

  rule('an encoded member segment is the same member', async ({ launch }) => {
    const staff = await launch({ role: 'instructor' });
    const url = staff.submit.replace(staff.claims.user.member, BO.replace('-', '%2D'));
    expect((await staff.grade({ score: 1 }, url)).json().annotations.member).toBe(BO);
  });

  rule(
    'an unknown member, or one who left, gives 404 to staff',
    async ({ launch, control }) => {
      const staff = await launch({ role: 'instructor' });
      const of = (member: string) => staff.submit.replace(staff.claims.user.member, member);
      expect((await staff.grade({ score: 1 }, of('nobody'))).status).toBe(404);
      expect((await staff.grade({ score: 1 }, of('member-211'))).status).toBe(404);
      await control('member/remove', { member: BO });
      expect((await staff.grade({ score: 1 }, of(BO))).status).toBe(404);
    },
    ['unknown_member'],
  );

  rule('staff of another course get 403', async ({ launch }) => {
    const amina = await launch({ member: AMINA });
    const elsewhere = await launch({ course: 'history-202', role: 'instructor' });
    expect((await elsewhere.grade({ score: 1 }, amina.submit)).status).toBe(403);
  });

  rule("another tool's token grades whom its user may grade", async ({ launch }) => {
    const [amina, bo] = [await launch({ member: AMINA }), await launch({ member: BO })];
    const student = await launch({ tool: 'polls', member: AMINA });
    const staff = await launch({ tool: 'polls', role: 'instructor' });
    expect((await student.grade({ score: 1 }, amina.submit)).status).toBe(200);
    expect((await student.grade({ score: 1 }, bo.submit)).status).toBe(403);
    expect((await staff.grade({ score: 1 }, amina.submit)).status).toBe(200);
  });

  rules(
    'a request with %s gives 401',
    [
      ['no credential', undefined, 'Missing Bearer API key'],
      ['an unknown key', 'key_nobody', 'Invalid API key'],
    ] as const,
    async ({ launch, control }, _name, token, message) => {
      const student = await launch();
      const answer = await student.call('POST', student.submit, { token, json: { score: 1 } });
      expect([answer.status, answer.message]).toEqual([401, message]);
      expect(await attempts(control)).toEqual([]);
    },
  );

  rule(
    'the API key grades any member under /contexts/, without a user',
    async ({ launch, control }) => {
      const student = await launch({ member: AMINA });
      const token = await keyOf(control, 'essay');
      const answer = await student.call('POST', student.submit, { token, json: { score: 1 } });
      expect(answer.status).toBe(200);
      expect(answer.json().data).toMatchObject({ source_type: 'api_key', source_id: '' });
      const never = student.submit.replace(AMINA, 'member-115');
      expect((await student.call('POST', never, { token, json: { score: 1 } })).status).toBe(200);
      const nobody = student.submit.replace(AMINA, 'nobody');
      expect((await student.call('POST', nobody, { token, json: { score: 1 } })).status).toBe(404);
    },
    ['unknown_member'],
  );

  rule('a rotated API key is unknown', async ({ launch, control }) => {
    const student = await launch();
    const token = await keyOf(control, 'essay');
    await control('tool', { tool: 'essay', action: 'rotate-key' });
    const answer = await student.call('POST', student.submit, { token, json: { score: 1 } });
    expect([answer.status, answer.message]).toEqual([401, 'Invalid API key']);
    const fresh = await keyOf(control, 'essay');
    expect(
      (await student.call('POST', student.submit, { token: fresh, json: { score: 1 } })).status,
    ).toBe(200);
  });

  rules(
    'the API key of a tool that was %s gives 401',
    [
      ['suspended', 'suspend'],
      ['archived', 'archive'],
    ] as const,
    async ({ launch, control }, _name, action) => {
      const student = await launch();
      const token = await keyOf(control, 'essay');
      await control('tool', { tool: 'essay', action });
      const answer = await student.call('POST', student.submit, { token, json: { score: 1 } });
      expect([answer.status, answer.message]).toEqual([401, 'App is suspended']);
    },
  );

  rule('an API key of another tool gives 403', async ({ launch, control }) => {
    const student = await launch();
    const token = await keyOf(control, 'polls');
    const answer = await student.call('POST', student.submit, { token, json: { score: 1 } });
    expect([answer.status, answer.message]).toEqual([
      403,
      'API key is for tool polls, not tool essay',
    ]);
  });

  rule(
    'an API key gives 403 if the tool has no placement of the location',
    async ({ launch, control }) => {
      const student = await launch({ location: 'essay-1' });
      const token = await keyOf(control, 'essay');
      const url = student.submit.replace('biology-101', 'history-202');
      const answer = await student.call('POST', url, { token, json: { score: 1 } });
      expect([answer.status, answer.message]).toEqual([
        403,
        'tool essay has no placement of location essay-1 in context history-202',
      ]);
    },
  );

  rule('an unknown course or location gives 404', async ({ launch, control }) => {
    const staff = await launch({ role: 'instructor', location: 'essay-1' });
    const token = await keyOf(control, 'essay');
    for (const url of [
      staff.submit.replace('biology-101', 'nowhere'),
      staff.submit.replace('essay-1', 'nothing'),
    ]) {
      expect((await staff.grade({ score: 1 }, url)).status).toBe(404);
      expect((await staff.call('POST', url, { token, json: { score: 1 } })).status).toBe(404);
    }
  });

  rule('a hosted tool has no API key', async ({ launch, control }) => {
    const student = await launch({ tool: 'sketch' });
    expect(await keyOf(control, 'sketch')).toBe('');
    const answer = await student.call('POST', student.submit, {
      headers: { authorization: 'Bearer ' },
    });
    expect(answer.status).toBe(401);
    expect((await student.grade({ score: 1 })).status).toBe(200);
  });
});

describe('Grade URLs under /account/v1/users/', () => {
  rule('accept the token of the launch', async ({ launch }) => {
    const amina = await launch({ member: AMINA, account: true });
    expect(new URL(amina.submit).pathname).toMatch(/^\/account\/v1\/users\//);
    const answer = await amina.grade({ score: 1 });
    expect(answer.status).toBe(200);
    expect(answer.json().annotations.member).toBe(AMINA);
  });

  rule('reject the API key with 401', async ({ launch, control }) => {
    const amina = await launch({ member: AMINA, account: true });
    const token = await keyOf(control, 'essay');
    const answer = await amina.call('POST', amina.submit, { token, json: { score: 1 } });
    expect(answer.status).toBe(401);
  });

  rule("reject another student's token and a changed user", async ({ launch, control }) => {
    const [amina, bo] = [
      await launch({ member: AMINA, account: true }),
      await launch({ member: BO }),
    ];
    expect((await bo.grade({ score: 1 }, amina.submit)).status).toBe(403);
    const staff = await launch({ role: 'instructor', account: true });
    const changed = staff.submit.replace('user-101', 'user-112');
    expect(changed).not.toBe(staff.submit);
    expect((await staff.grade({ score: 1 }, changed)).status).toBe(404);
    expect(await attempts(control)).toEqual([]);
  });
});
