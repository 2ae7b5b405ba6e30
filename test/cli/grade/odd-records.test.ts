import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isGradeAttempt } from '../../../src/contract/index.ts';
import { openLedger, type Outcome } from '../../../src/ledger/index.ts';
import { listOf } from '../../ledger/support.ts';
import * as fc from '../../support/property.ts';
import { text } from '../../support/service.ts';
import { bench, memberOf, members, readLines } from './bulk.ts';

/** Also texts that no column, address or terminal likes. */
const oddValue = fc.oneof(
  fc.string({ unit: fc.anyCharacter }),
  fc.constantFrom('\0', 'a\0b', 'a\ud800b', '', '..', '\u202e', '\u009b2J', '‹member›', "'"),
  fc.constantFrom(null, 5, -0, 1e300, true, [], {}, ['m'], { toString: 1 }, [[]]),
  fc.jsonValue({ maxDepth: 3 }),
);

/** The body of a 200, on one line or on many: mostly a record, any of whose fields may be odd or missing. */
const oddAnswer = fc
  .record(
    {
      id: fc.oneof({ weight: 9, arbitrary: fc.string({ minLength: 1 }) }, oddValue),
      status: fc.constantFrom('success', 'failed', 'success', 'failed', 'Success', null),
      score: oddValue,
      max_score: oddValue,
      submitted: oddValue,
      data: fc.oneof(oddValue, fc.record({ comment: oddValue, error: oddValue })),
      annotations: fc.oneof(oddValue, fc.record({ member: oddValue, location: oddValue })),
    },
    { requiredKeys: ['id', 'status'] },
  )
  .chain((record) =>
    fc.constantFrom(undefined, 2, '\t').map((indent) => JSON.stringify(record, null, indent)),
  );

/** What the ledger must say of an attempt that was answered with 200 and this text. */
function keptOf(answer: string): Outcome {
  const record: unknown = JSON.parse(answer);
  if (isGradeAttempt(record)) {
    return { kind: 'recorded', status: record.status, http: 200, attempt: answer };
  }
  return { kind: 'in_doubt', reason: expect.any(String) as string, http: 200, text: answer };
}

test('any record of a service is stored as it is, and reported', async () => {
  const sixty = fc.array(oddAnswer, { minLength: 60, maxLength: 60 });
  const reported = fc.asyncProperty(sixty, expectReported);
  await fc.assert(reported, { numRuns: 1, endOnFailure: true });
});

/** Submits a grade for each answer, and compares what is stored and printed. */
async function expectReported(answers: readonly string[]): Promise<void> {
  const answerOf = (member: string): string => answers[Number(member.slice(2)) - 2] ?? '';
  const { step, home } = await bench((request, response) =>
    text(200, answerOf(memberOf(request)))(request, response),
  );
  const isWhole = answers.every((each) => keptOf(each).kind === 'recorded');
  const submit = 'grade submit --from - --yes --json';
  const ended = await step(submit, { input: members(60), exit: isWhole ? 9 : 10, rows: 60 });
  const ledger = await openLedger({ file: join(home, 'ledger.sqlite'), now: Date.now });
  const kept = await listOf(ledger.attempts());
  await ledger.close();
  expect(kept).toHaveLength(60);
  for (const { member, outcome } of kept) {
    expect(outcome).toEqual(keptOf(answerOf(member)));
    const printed = readLines(ended).rows.find((each) => each.member === member);
    const record: unknown = JSON.parse(answerOf(member));
    expect(printed?.attempt).toEqual(isGradeAttempt(record) ? record : null);
  }
  await step('grade report 1\ngrade report 1 --json\ngrade log\ngrade runs --json', { stderr: '' });
}
