import type { Command } from 'commander';
import { mayCarry } from '../../../client/index.ts';
import { EXIT, type GradeAttempt, type GradeBody } from '../../../contract/index.ts';
import { Outcome } from '../../errors.ts';
import { attempt } from '../../grade/attempt.ts';
import { gradeBody, type GradeFlags } from '../../grade/body.ts';
import { addressFor, type GradeTarget, gradeTarget } from '../../grade/target.ts';
import { attemptTable, failureText } from '../../output/grade.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import { clientFor } from '../../target.ts';
import { note, printDryRun, printJsonText, printTable } from '../../ui.ts';

interface SubmitOptions extends GlobalOptions, GradeFlags {
  readonly member?: string;
  readonly dryRun?: boolean;
}

export function registerSubmit(parent: Command, runtime: Runtime): void {
  parent
    .command('submit')
    .summary('submit a grade')
    .description(
      'Submit one grade. Every call publishes to the LMS anew; the answer is the only record, and is kept in the ledger.',
    )
    .option('--score <fraction>', 'from 0.0 to 1.0')
    .option('--points <reached/possible>', 'such as 42.5/50; sets the points of the column too')
    .option('--max-score <points>', 'set the points possible of the gradebook column first')
    .option('--comment <text>', 'published with the score')
    .option('--activity-progress <word>', 'Completed (default) or Submitted')
    .option('--grading-progress <word>', 'FullyGraded (default) or Pending')
    .option('--member <id>', 'grade another member of the course')
    .option('--dry-run', 'show what would be sent, and send nothing')
    .action(async (_options, command: Command) => {
      await runSubmit(runtime, command.optsWithGlobals());
    });
}

async function runSubmit(runtime: Runtime, options: SubmitOptions): Promise<void> {
  const body = gradeBody(options);
  const target = await gradeTarget(runtime, options);
  const url = addressFor(target, options.member);
  mayCarry(target.credential, { area: 'grade', url });
  if (options.dryRun) {
    await printDryRun(runtime, options, { method: 'POST', url, body: JSON.stringify(body) });
    return;
  }
  const client = await clientFor(runtime, options, target.credential);
  const { attempt: record, bytes } = await attempt(await runtime.ledger(), client, {
    url,
    member: options.member ?? target.ownMember ?? '',
    location: target.location,
    context: target.context,
    credential: target.credential.kind,
    body: JSON.stringify(body),
  });
  if (options.json) await printJsonText(runtime, new TextDecoder().decode(bytes));
  else await printTable(runtime, attemptTable(record));
  await noteSurprises(runtime, options, record, body, target);
  if (record.status === 'failed') {
    throw new Outcome(EXIT.failed, 'grade.failed', failureText(record));
  }
}

/** The record speaks of another member or score than was sent: said, since a record cannot be taken back. */
async function noteSurprises(
  runtime: Runtime,
  options: SubmitOptions,
  record: GradeAttempt,
  body: GradeBody,
  target: GradeTarget,
): Promise<void> {
  const asked = options.member ?? target.ownMember;
  const told = record.annotations?.member;
  if (asked !== undefined && told !== undefined && told !== asked) {
    await note(runtime, options, `warning: the record is for member ${told}, not ${asked}`);
  }
  if (record.score !== undefined && record.score !== body.score) {
    await note(
      runtime,
      options,
      `warning: the record has the score ${record.score}, not ${body.score}`,
    );
  }
}
