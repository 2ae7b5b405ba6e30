import { describe, expect } from 'vitest';
import { byId, type Launch, rule, START, type Subject } from '../../subject.ts';

const AMINA = 'member-111';
const BO = 'member-112';

async function attempts(control: Subject['control']): Promise<readonly { id: string }[]> {
  return (await control('state')).attempts;
}

/** Submits a grade; the instant of the attempt, however it is written. */
async function submittedBy(launch: Launch): Promise<number> {
  return Date.parse((await launch.grade({ score: 0.5 })).json().submitted);
}

describe('Resources: grade attempt', () => {
  rule('has what was sent, or its defaults', async ({ launch }) => {
    const amina = await launch({ member: AMINA });
    const sent = { activity_progress: 'Submitted', grading_progress: 'Pending' } as const;
    expect((await amina.grade({ score: 1, ...sent })).json()).toMatchObject(sent);
    expect((await amina.grade({ score: 1 })).json()).toMatchObject({
      score: 1,
      max_score: null,
      activity_progress: 'Completed',
      grading_progress: 'FullyGraded',
      data: { comment: '' },
    });
  });

  rule('has a later submitted than all before, of any member', async ({ launch, control }) => {
    const [amina, bo] = [await launch({ member: AMINA }), await launch({ member: BO })];
    const times: number[] = [];
    for (const each of [amina, bo, bo, amina]) times.push(await submittedBy(each));
    expect(times[0]).toBe(START);
    times.push(...(await Promise.all(Array.from({ length: 20 }, () => submittedBy(amina)))).sort());
    await control('clock', { advance_seconds: -3600 });
    for (const each of [bo, amina]) times.push(await submittedBy(each));
    expect(times).toEqual([...new Set(times)].toSorted((one, other) => one - other));
    expect(times).toHaveLength(26);
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
      await control('lms', { refuse: { status: 404, body: `no user ${lmsUser}` } });
      const refused = await amina.grade({ score: 0.5 });
      expect(refused.json().data.response?.status).toBe(404);
      for (const text of [answer.text, refused.text, JSON.stringify(amina.claims)])
        expect(text).not.toContain(lmsUser);
    },
  );
});

describe('Grade submission: rules', () => {
  rule(
    'max_score sets the points of the column before it publishes; without it they stay',
    async ({ launch, control }) => {
      const amina = await launch({ member: AMINA });
      await amina.grade({ score: 0.85, max_score: 50 });
      const cell = async () => (await control('state')).gradebook[0]?.payload;
      expect(await cell()).toMatchObject({ scoreGiven: 42.5, scoreMaximum: 50 });
      await amina.grade({ score: 1 });
      expect(await cell()).toMatchObject({ scoreGiven: 50, scoreMaximum: 50 });
      await amina.grade({ score: 0.29, max_score: 100 });
      expect(await cell()).toMatchObject({ scoreGiven: 29, scoreMaximum: 100 });
    },
  );

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
});
