import { gradeLedger } from '../session/ledger.ts';
import { checkCredentialUse } from '../../client/index.ts';
import { EXIT } from '../exit-codes.ts';
import { ExitError } from '../errors.ts';
import { type ReportedFinding, UsageError } from '../../errors.ts';
import type { GradeAddress } from '../../ledger/ledger.ts';
import { lmsWords, outcomeReason } from '../../grades/record-columns.ts';
import { type GradeAttempt, isObject, numberAt, textAt } from '../../contract/index.ts';
import { type Cell, factTable, stateCell, type Table } from '../output/table.ts';
import { settleOneCommand } from '../output/grade-run.ts';
import { type Context, withOptions } from '../runtime.ts';
import { clientFor } from '../session/resolve-call.ts';
import { noteWarnings } from '../output/notes.ts';
import { dryRun } from '../output/dry-run.ts';
import { RawJson, type Result } from '../output/result.ts';
import { attempt, mismatchesOf } from '../../grades/attempt.ts';
import { gradeBody } from './body.ts';
import { addressFor, gradeTarget } from './target.ts';
import { flagWords } from '../arguments/flags.ts';
import { FROM_FLAGS, ONE_GRADE_FLAGS, type GradeSubmitOptions } from './flags.ts';

export async function runSubmit(context: Context<GradeSubmitOptions>): Promise<Result> {
  const { options } = context;
  const { from } = options;
  refuseMixedFlags(options);
  if (from === undefined) return submitOne(context);
  const { runBulk } = await import('./bulk.ts');
  return runBulk(withOptions(context, { ...options, from }));
}

/** Throws for flags of a single grade with a grade file, and vice versa. */
function refuseMixedFlags(options: GradeSubmitOptions): void {
  const { from, send, maxScore: _, ...ofOne } = options;
  if (from === undefined && send === false) throw new UsageError('--no-send requires --from FILE');
  const [misplaced] =
    from === undefined ? flagWords(FROM_FLAGS, options) : flagWords(ONE_GRADE_FLAGS, ofOne);
  const flag = misplaced?.replace(/=.*/s, '');
  if (flag === undefined) return;
  if (from === undefined) throw new UsageError(`${flag} requires --from FILE`);
  throw new UsageError(`${flag} cannot be used with --from`, 'the grades come from the file');
}

async function submitOne(context: Context<GradeSubmitOptions>): Promise<Result> {
  const { options } = context;
  const body = gradeBody(options);
  const target = await gradeTarget(context);
  const url = addressFor(target, options.member);
  checkCredentialUse(target.credential, { area: 'grade', url });
  const member = options.member ?? target.member ?? '';
  const findings = await doubtFindings(context, { url, member });
  await noteWarnings(context, findings);
  if (options.dryRun) {
    return dryRun({ method: 'POST', url, body: JSON.stringify(body), findings });
  }
  const client = await clientFor(context, target.credential);
  const { attempt: record, text } = await attempt(await gradeLedger(context), client, {
    url,
    member,
    location: target.location,
    context: target.context,
    credential: target.credential.kind,
    body: JSON.stringify(body),
  });
  const sent = { member: options.member ?? target.member, score: body.score };
  const { id, status } = record;
  return {
    json: new RawJson(text),
    show: attemptTable(record),
    notes: mismatchesOf(record, sent).map((surprise) => `warning: ${surprise}`),
    // It must not be sent again.
    done: {
      what: `attempt ${id} is recorded (${status}) and saved`,
      hint: 'lectern grade log --json shows the record',
    },
    exit:
      status === 'failed'
        ? new ExitError(EXIT.failed, 'grade.failed', failureText(record))
        : undefined,
  };
}

/** A warning if attempts of a member's grade are in doubt: each may be in the gradebook. */
async function doubtFindings(context: Context, grade: GradeAddress): Promise<ReportedFinding[]> {
  const { member } = grade;
  if (member === '') return [];
  const [known] = await (await gradeLedger(context)).knownGrades([grade]);
  const count = known?.doubts.length ?? 0;
  if (count === 0) return [];
  const attempts = count === 1 ? 'an earlier attempt' : `${count} earlier attempts`;
  return [
    {
      code: 'grade.in_doubt',
      severity: 'warning',
      path: '',
      line: null,
      column: null,
      message: `${attempts} for member ${member} ${count === 1 ? 'is' : 'are'} in doubt`,
      rule: 'Grade submission: every call publishes to the LMS',
      hint: `compare with the gradebook; lectern grade log --status in_doubt lists the attempts in doubt; settle them with: ${settleOneCommand(member)}`,
    },
  ];
}

/** The service's record of one attempt, with a line for each field that has a value. */
function attemptTable(record: GradeAttempt): Table {
  const fields: [string, Cell][] = [
    ['id', record.id],
    ['status', stateCell(record.status)],
    ['score', numberAt(record, 'score')],
    ['max_score', numberAt(record, 'max_score')],
    ['member', textAt(record, 'annotations', 'member')],
    ['location', textAt(record, 'annotations', 'location')],
    ['context', textAt(record, 'annotations', 'context')],
    ['submitted', textAt(record, 'submitted')],
    ['lineitem', textAt(record, 'lineitem')],
    ['activity_progress', textAt(record, 'activity_progress')],
    ['grading_progress', textAt(record, 'grading_progress')],
    ['comment', textAt(record, 'data', 'comment')],
    ['error', textAt(record, 'data', 'error')],
    ['response', record.status === 'failed' ? lmsWords(record) : undefined],
    ['source', textAt(record, 'data', 'source_type')],
  ];
  return factTable(
    ['field', 'value'],
    fields.filter(([, value]) => value !== ''),
  );
}

/** Why an attempt failed: the service's reason, and the LMS's own response. */
function failureText(record: GradeAttempt): string {
  return `the attempt was recorded as failed: ${outcomeReason(record)}${lmsAnswer(record)}`;
}

function lmsAnswer(record: GradeAttempt): string {
  const response = lmsWords(record);
  if (response !== undefined) return `; ${response}`;
  return isObject(record.data?.response) ? '' : '; it never reached the LMS';
}
