import * as fc from '../../support/property.ts';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { attempt } from '../../../src/grades/attempt.ts';
import { createClient, createTransport } from '../../../src/client/index.ts';
import { isGradeAttempt } from '../../../src/contract/index.ts';
import { type AttemptRecord, openLedger, type Outcome } from '../../../src/ledger/index.ts';
import { listOf, openTemporary } from '../../ledger/support.ts';
import { text, startService } from '../../support/service.ts';
import { bench, memberOf, members, readLines } from './bulk.ts';

/** Texts that no column, address or terminal likes. */
const oddText = fc.oneof(
  fc.string({ unit: fc.anyCharacter }),
  fc.constantFrom('\0', 'a\0b', 'a\ud800b', '', '..', '\u202e', '\u009b2J', '‹member›', "'"),
);

const oddValue = fc.oneof(
  oddText,
  fc.constantFrom(null, 5, -0, 1e300, true, [], {}, ['m'], { toString: 1 }, [[]]),
  fc.jsonValue({ maxDepth: 3 }),
);

const oddMember = fc.oneof(oddValue, fc.constant('x'.repeat(1 << 20)));

/** The body of a 200: mostly a record, any of whose fields may be odd or missing. */
const oddRecord = fc.record(
  {
    id: fc.oneof(
      { weight: 9, arbitrary: fc.string({ minLength: 1 }) },
      { weight: 1, arbitrary: oddValue },
    ),
    status: fc.constantFrom('success', 'failed', 'success', 'failed', 'Success', null),
    score: oddValue,
    max_score: oddValue,
    submitted: oddValue,
    lineitem: oddValue,
    activity_progress: oddValue,
    data: fc.oneof(oddValue, fc.record({ comment: oddValue, error: oddValue, response: oddValue })),
    annotations: fc.oneof(oddValue, fc.record({ member: oddMember, location: oddValue })),
  },
  { requiredKeys: ['id', 'status'] },
);

/** As a service may write it: on one line, or on many. */
const oddAnswer = fc
  .tuple(oddRecord, fc.constantFrom(undefined, 2, '\t'))
  .map(([record, indent]) => JSON.stringify(record, null, indent));

/** What the ledger must say of an attempt that was answered with 200 and this text. */
function keptOf(answer: string): Outcome {
  const record: unknown = JSON.parse(answer);
  if (isGradeAttempt(record)) {
    return { kind: 'recorded', status: record.status, http: 200, attempt: answer };
  }
  return { kind: 'in_doubt', reason: expect.any(String) as string, http: 200, text: answer };
}

describe('a response to a grade is stored', () => {
  /** Makes attempts in a ledger at a service whose next answer is given. */
  async function attempting() {
    let next = { status: 200, body: '' };
    const service = await startService((_, response) => {
      response.writeHead(next.status, { 'content-type': 'application/json' });
      response.end(next.body);
    });
    const { transport, close } = createTransport({ connections: 1 });
    onTestFinished(close);
    const client = createClient(
      { kind: 'launch_token', secret: 'launch-token', origin: service.origin },
      { transport },
    );
    const ledger = await openTemporary();
    const url = `${service.origin}/contexts/c/members/m-1/grades`;
    return async (status: number, body: string, member: string): Promise<AttemptRecord> => {
      next = { status, body };
      const intent = { url, member, credential: 'launch_token', body: '{"score":0.5}' } as const;
      await attempt(ledger, client, intent).catch(() => {});
      const [last] = await listOf(ledger.attempts({ newestFirst: true, limit: 1 }));
      if (!last) throw new Error('no attempt was kept');
      return last;
    };
  }

  test('for any text of a refusal or a failure', async () => {
    const make = await attempting();
    const message = fc.oneof(
      oddText,
      oddText.map((each) => JSON.stringify({ message: each })),
    );
    const status = fc.constantFrom(401, 403, 422, 429, 500, 503);
    await fc.assert(
      fc.asyncProperty(status, message, async (http, body) => {
        const { outcome } = await make(http, body, 'm-1');
        const kind =
          http >= 500 ? 'in_doubt' : http === 401 || http === 429 ? 'not_sent' : 'refused';
        expect(outcome).toMatchObject({ kind, http });
      }),
      fc.runs(50),
    );
  });

  test('in a run of many rows, each of which is reported', async () => {
    const rows = 60;
    await fc.assert(
      fc.asyncProperty(
        fc.array(oddAnswer, { minLength: rows, maxLength: rows }),
        async (answers) => {
          const answerOf = (member: string): string => answers[Number(member.slice(2)) - 2] ?? '';
          const { step, home } = await bench((request, response) =>
            text(200, answerOf(memberOf(request)))(request, response),
          );
          const submit = 'grade submit --from - --yes --json';
          const isWhole = answers.every((each) => keptOf(each).kind === 'recorded');
          const result = await step(submit, { input: members(rows), exit: isWhole ? 9 : 10 });
          const lines = readLines(result).rows;
          expect(lines).toHaveLength(rows);

          const ledger = await openLedger({ file: join(home, 'ledger.sqlite'), now: Date.now });
          const kept = await listOf(ledger.attempts());
          await ledger.close();
          expect(kept).toHaveLength(rows);
          for (const { member, outcome } of kept) {
            expect(outcome).toEqual(keptOf(answerOf(member)));
            const printed = lines.find((each) => each.member === member);
            const record: unknown = JSON.parse(answerOf(member));
            expect(printed?.attempt).toEqual(isGradeAttempt(record) ? record : null);
          }
          for (const line of ['report 1', 'report 1 --json', 'log', 'runs --json']) {
            await step(`grade ${line}`, { stderr: '' });
          }
        },
      ),
      { numRuns: 1, endOnFailure: true },
    );
  });
});

test.each(['a\0b', 'a\ud800b', '..'])(
  'a launch whose member is not valid in an address is rejected, and nothing is sent: %j',
  async (member) => {
    const { step } = await bench(text(200, '{}'), { user: { member } });
    const message = /user.member in the launch/;
    const error = { code: 'grade_url.member_invalid', message, hint: /--member/ };
    await step('grade submit --score 0.5 --json', { exit: 3, error, sent: 0 });
    await step('grade log', { stdout: '' });
  },
);

test.each<[string, object, string, object]>([
  ['a claim with a NUL', { location: { id: 'l\0' }, context: 'c\0' }, '', { location: 'l\ufffd' }],
  ['no member in the launch', { user: {} }, "--member 'm 7'", { outcome: 'recorded' }],
])('a grade is recorded with %s', async (_, claims, flags, kept) => {
  const answer = JSON.stringify({ id: 'a-1', status: 'success', annotations: { member: 'm 7' } });
  const { step } = await bench(text(200, answer), { ...claims });
  await step('grade submit --score 0.5');
  // It is found by the member in the record.
  await step(`grade log ${flags} --json`, { json: { attempt: { id: 'a-1' }, ...kept } });
});
