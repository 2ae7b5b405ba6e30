import { describe, expect, test } from 'vitest';
import type { AttemptFilter, GradeLedger, Outcome } from '../../../src/ledger/index.ts';
import { LedgerError } from '../../../src/ledger/index.ts';
import { Clock, gradeUrl, intentFor, listOf, ORIGIN, recorded, rejection } from '../support.ts';
import type { Store } from './store.ts';

const OUTCOMES: readonly (readonly [string, Outcome])[] = [
  ['success', recorded('success')],
  ['failed', recorded('failed')],
  ['refused', { kind: 'refused', http: 422, code: 'grade.score_range', text: '{"no":1}' }],
  ['refused', { kind: 'refused', http: 403, code: undefined, text: '' }],
  ['in_doubt', { kind: 'in_doubt', reason: 'the connection was reset' }],
  ['in_doubt', { kind: 'in_doubt', reason: 'unusable answer', http: 502, text: '<html>' }],
  ['not_sent', { kind: 'not_sent', reason: 'connection refused' }],
  ['not_sent', { kind: 'not_sent', reason: 'the token has ended', http: 401, text: '{}' }],
];

/** What every store keeps of attempts. */
export function attemptTests(store: Store): void {
  describe('an attempt', () => {
    test('is in doubt as soon as its intent is stored', async () => {
      const clock = new Clock();
      const ledger = await store.open(undefined, clock);
      const more = { location: 'l1', context: 'c1', credential: 'launch_token' } as const;
      const pending = await ledger.intend(intentFor('m 1', more));

      expect(await listOf(ledger.attempts())).toEqual([
        {
          id: pending.id,
          time: store.timeOf(clock),
          url: gradeUrl('m 1'),
          origin: ORIGIN,
          member: 'm 1',
          ...more,
          body: '{"score":0.85}',
          state: 'in_doubt',
        },
      ]);
    });

    test.each(OUTCOMES)('that ends as %s is read back unchanged', async (state, outcome) => {
      const clock = new Clock();
      const place = await store.newPlace();
      const ledger = await store.open(place, clock);
      const pending = await ledger.intend(intentFor('m1'));
      clock.ms += 250;
      await ledger.storeOutcome(pending, outcome);
      await ledger.close();

      const again = await store.open(place);
      const [attempt] = await listOf(again.attempts());
      expect(attempt).toMatchObject({ id: pending.id, state, answeredAt: store.timeOf(clock) });
      expect(attempt?.outcome).toEqual(outcome);
    });

    test.each(['recorded', 'refused'] as const)(
      'stores every character of a %s response',
      async (kind) => {
        const ledger = await store.open();
        const text = '\ufeff{"id":"1","comment":"\u0000 \u202e 🎓 \\ud800","n":1.10}\r\n\0\n';
        const pending = await ledger.intend(intentFor('m1'));
        const outcome: Outcome =
          kind === 'recorded'
            ? { kind, status: 'success', http: 200, attempt: text }
            : { kind, http: 400, text };
        await ledger.storeOutcome(pending, outcome);

        const [attempt] = await listOf(ledger.attempts());
        expect(attempt?.outcome).toEqual(outcome);
        const [known] = await ledger.knownGrades([{ url: gradeUrl('m1'), member: 'm1' }]);
        expect(known?.last?.attempt).toBe(kind === 'recorded' ? text : undefined);
      },
    );

    test('that cannot be stored completely is not stored', async () => {
      const ledger = await store.open();
      const refused = await rejection(ledger.intend(intentFor('m\0')));
      expect(refused).toBeInstanceOf(LedgerError);
      expect(await listOf(ledger.attempts())).toEqual([]);
    });

    test('gets one outcome only', async () => {
      const ledger = await store.open();
      const pending = await ledger.intend(intentFor('m1'));
      await ledger.storeOutcome(pending, recorded('success'));

      expect(await rejection(ledger.storeOutcome(pending, recorded('failed')))).toMatchObject({
        fault: 'refused',
      });
      expect(
        await rejection(ledger.storeOutcome({ id: pending.id + 1 }, recorded())),
      ).toBeInstanceOf(LedgerError);
      expect((await listOf(ledger.attempts()))[0]?.state).toBe('success');
    });

    test('with a withdrawn intent is not sent, and stays in the ledger', async () => {
      const clock = new Clock();
      const ledger = await store.open(undefined, clock);
      const pending = await ledger.intend(intentFor('m1'));
      await ledger.withdraw(pending);

      expect(await listOf(ledger.attempts())).toMatchObject([
        {
          id: pending.id,
          state: 'not_sent',
          outcome: { kind: 'not_sent', reason: 'withdrawn before it was sent' },
          answeredAt: store.timeOf(clock),
        },
      ]);
      expect(await listOf(ledger.attempts({ withdrawn: false }))).toEqual([]);
      expect(await rejection(ledger.withdraw(pending))).toMatchObject({ fault: 'refused' });
    });

    test('that has an outcome cannot be withdrawn', async () => {
      const ledger = await store.open();
      const pending = await ledger.intend(intentFor('m1'));
      await ledger.storeOutcome(pending, recorded());
      expect(await rejection(ledger.withdraw(pending))).toMatchObject({ fault: 'refused' });
      expect(await listOf(ledger.attempts())).toMatchObject([{ id: pending.id, state: 'success' }]);
    });

    test('that is invalid does not fail the other writes of its commit', async () => {
      const ledger = await store.open();
      const pending = await ledger.intend(intentFor('m1'));
      const results = await Promise.allSettled([
        ledger.intend(intentFor('m2', { url: `${ORIGIN}/new/target/m2` })),
        ledger.storeOutcome({ id: 999 }, recorded()),
        ledger.intend(intentFor('m3', { run: 7, line: 1 })),
        ledger.storeOutcome(pending, recorded()),
        ledger.intend(intentFor('m4', { url: `${ORIGIN}/new/target/m4` })),
      ]);

      expect(results.map((result) => result.status)).toEqual([
        'fulfilled',
        'rejected',
        'rejected',
        'fulfilled',
        'fulfilled',
      ]);
      const members = (await listOf(ledger.attempts())).map(({ member, url }) => [member, url]);
      expect(members).toEqual([
        ['m1', gradeUrl('m1')],
        ['m2', `${ORIGIN}/new/target/m2`],
        ['m4', `${ORIGIN}/new/target/m4`],
      ]);
    });
  });

  describe('the URL of an attempt', () => {
    test.each([
      gradeUrl('a b/ü'),
      `${ORIGIN}/contexts/a%20b/grades/%61`,
      `${ORIGIN}/contexts/42/members/42/42x`,
      `${ORIGIN}/{member}/%2e%2e//`,
    ])('%s is stored byte for byte, for any member', async (url) => {
      const ledger = await store.open();
      for (const member of ['42', 'a b/ü', 'a', '$&', ''])
        await ledger.intend({ ...intentFor(member), url });
      for await (const attempt of ledger.attempts()) expect(attempt.url).toBe(url);
    });

    test('is stored with a digest of its query, which may be a signature', async () => {
      const ledger = await store.open();
      await ledger.intend(intentFor('m1', { url: `${gradeUrl('m1')}?signature=secret#x` }));
      const [attempt] = await listOf(ledger.attempts());
      expect(attempt?.url).toMatch(/^https:.+~[0-9a-f]{12}$/);
      expect(attempt?.url.startsWith(gradeUrl('m1'))).toBe(true);
    });

    test('gets its member from the record if the intent has none', async () => {
      const ledger = await store.open();
      const url = `${gradeUrl('m 7')}?s=1`;
      const pending = await ledger.intend(intentFor('', { url }));
      const { id } = pending;
      await ledger.storeOutcome(pending, recorded(), { url, member: 'm 7' });
      expect(await listOf(ledger.attempts({ member: 'm 7' }))).toMatchObject([{ id }]);
      expect(await ledger.knownGrades([{ url, member: 'm 7' }])).toMatchObject([{ last: { id } }]);
      const known = await ledger.intend(intentFor('m1'));
      await ledger.storeOutcome(known, recorded(), { url, member: 'm 7' });
      expect(await listOf(ledger.attempts({ member: 'm1' }))).toMatchObject([known]);
    });
  });

  describe('the grade log', () => {
    async function filled(): Promise<{ ledger: GradeLedger; clock: Clock }> {
      const clock = new Clock();
      const ledger = await store.open(undefined, clock);
      for (const [index, [, outcome]] of OUTCOMES.entries()) {
        clock.ms += 1000;
        await ledger.storeOutcome(await ledger.intend(intentFor(`m${index % 2}`)), outcome);
      }
      await ledger.intend(intentFor('m1'));
      return { ledger, clock };
    }

    const cases: readonly (readonly [AttemptFilter, readonly number[]])[] = [
      [{}, [1, 2, 3, 4, 5, 6, 7, 8, 9]],
      [{ member: 'm1' }, [2, 4, 6, 8, 9]],
      [{ states: ['in_doubt'] }, [5, 6, 9]],
      [{ states: ['success', 'failed'] }, [1, 2]],
      [{ member: 'm0', states: ['refused', 'not_sent'] }, [3, 7]],
      [{ newestFirst: true, limit: 3 }, [9, 8, 7]],
      [{ run: 1 }, []],
    ];
    test.each(cases)('filtered by %j gives the attempts %j', async (filter, ids) => {
      const { ledger } = await filled();
      expect((await listOf(ledger.attempts(filter))).map(({ id }) => id)).toEqual(ids);
    });

    test('starts at a given time', async () => {
      const { ledger } = await filled();
      const all = await listOf(ledger.attempts());
      const since = all[6]?.time ?? 0;
      const late = await listOf(ledger.attempts({ since }));
      expect(late).toEqual(all.filter(({ time }) => time >= since));
      expect(late.length).toBeGreaterThanOrEqual(3);
    });

    test('streams several pages, in both directions', async () => {
      const ledger = await store.open();
      const count = 1234;
      await Promise.all(
        Array.from({ length: count }, (_, index) => ledger.intend(intentFor(`m${index}`))),
      );
      const ids = (await listOf(ledger.attempts())).map(({ id }) => id);
      expect(ids).toEqual(Array.from({ length: count }, (_, index) => index + 1));
      expect((await listOf(ledger.attempts({ newestFirst: true }))).map(({ id }) => id)).toEqual(
        ids.toReversed(),
      );
      expect(await listOf(ledger.attempts({ limit: 1001 }))).toHaveLength(1001);
    });
  });

  describe('the last recorded attempt', () => {
    const DOUBT: Outcome = { kind: 'in_doubt', reason: 'no answer' };

    async function ask(ledger: GradeLedger, ...members: string[]) {
      return ledger.knownGrades(members.map((member) => ({ url: gradeUrl(member), member })));
    }

    async function attempt(ledger: GradeLedger, member: string, body: string, outcome?: Outcome) {
      const pending = await ledger.intend(intentFor(member, { body }));
      if (outcome) await ledger.storeOutcome(pending, outcome);
      return pending.id;
    }

    test('is the last success of exactly that address', async () => {
      const ledger = await store.open();
      await attempt(ledger, 'm1', '1', recorded());
      const id = await attempt(ledger, 'm1', '2', recorded());
      await attempt(ledger, 'm1', '3', recorded('failed'));
      await attempt(ledger, 'm2', '4', recorded('failed'));
      const other = await ledger.intend(
        intentFor('m1', { url: `${ORIGIN}/contexts/c2/m1`, body: '5' }),
      );
      await ledger.storeOutcome(other, recorded());

      const [first, second, third] = await ask(ledger, 'm1', 'm2', 'm3');
      expect(first).toMatchObject({ last: { id, body: '2' }, doubts: [] });
      expect(JSON.parse(first?.last?.attempt ?? '')).toMatchObject({ status: 'success' });
      const nothing = { last: undefined, doubts: [] };
      expect([second, third]).toEqual([nothing, nothing]);
    });

    test.each<[string, Outcome | undefined, boolean]>([
      ['an attempt in doubt', DOUBT, true],
      ['an attempt without an answer', undefined, true],
      ['a refused attempt', { kind: 'refused', http: 422, text: '' }, false],
      ['an attempt that was not sent', { kind: 'not_sent', reason: 'refused' }, false],
    ])(
      'comes with the attempts in doubt, and %s is correctly counted',
      async (_, outcome, isDoubt) => {
        const ledger = await store.open();
        const before = await attempt(ledger, 'm1', '0', DOUBT);
        await attempt(ledger, 'm1', '1', recorded());
        const id = await attempt(ledger, 'm1', '2', outcome);
        const doubts = [{ id: before, body: '0' }, ...(isDoubt ? [{ id, body: '2' }] : [])];
        expect(await ask(ledger, 'm1')).toMatchObject([{ last: { body: '1' }, doubts }]);
      },
    );

    test.each<[string, Outcome, boolean]>([
      ['success', recorded(), false],
      ['failed', recorded('failed'), false],
      ['refused', { kind: 'refused', http: 422, text: '' }, true],
    ])(
      'keeps or loses its doubt when the grade is sent again with the outcome %s',
      async (_, again, isDoubt) => {
        const ledger = await store.open();
        const id = await attempt(ledger, 'm1', '1', DOUBT);
        await attempt(ledger, 'm1', '1', again);
        const [known] = await ask(ledger, 'm1');
        expect(known?.doubts).toEqual(
          isDoubt ? [{ id, time: expect.any(Number), body: '1', run: undefined }] : [],
        );
      },
    );

    test('belongs to one exact address, even if only its query differs from another', async () => {
      const ledger = await store.open();
      const at = (location: number): { url: string; member: string } => ({
        url: `${gradeUrl('m1')}?location=${location}`,
        member: 'm1',
      });
      const pending = await ledger.intend(intentFor('m1', { ...at(2), body: '1' }));
      await ledger.storeOutcome(pending, recorded());
      expect(await ledger.knownGrades([at(2), at(3)])).toMatchObject([
        { last: { body: '1' } },
        { last: undefined },
      ]);
    });
  });
}
