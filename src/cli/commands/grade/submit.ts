import type { Command } from 'commander';
import { mayCarry } from '../../../client/index.ts';
import { EXIT, type GradeAttempt } from '../../../contract/index.ts';
import { Outcome, StateError, UsageError } from '../../errors.ts';
import { attempt } from '../../grade/attempt.ts';
import { gradeBody, type GradeFlags } from '../../grade/body.ts';
import { addReadingFlags, addSendFlags } from '../../grade/bulk/flags.ts';
import { surprisesOf } from '../../grade/surprises.ts';
import { addressFor, gradeTarget } from '../../grade/target.ts';
import { attemptTable, failureText } from '../../output/grade.ts';
import type { Runtime } from '../../runtime.ts';
import { clientFor } from '../../target.ts';
import { note, printDryRun, printJsonText, printTable } from '../../ui.ts';
import { type BulkOptions, runBulk } from './bulk.ts';

interface SubmitOptions extends Omit<BulkOptions, 'from'>, GradeFlags {
  readonly from?: string;
  readonly member?: string;
}

export function registerSubmit(parent: Command, runtime: Runtime): void {
  const command = parent
    .command('submit')
    .summary('submit a grade, or a file of them')
    .description(
      'Submit one grade, or with --from those of a file. Every call publishes to the LMS anew; the answer is the only record, and is kept in the ledger.',
    )
    .option('--score <fraction>', 'from 0.0 to 1.0')
    .option('--points <reached/possible>', 'such as 42.5/50; sets the points of the column too')
    .option('--max-score <points>', 'set the points possible of the gradebook column first')
    .option('--comment <text>', 'published with the score')
    .option('--activity-progress <word>', 'Completed (default) or Submitted')
    .option('--grading-progress <word>', 'FullyGraded (default) or Pending')
    .option('--member <id>', 'grade another member of the course')
    .option('--dry-run', 'show what would be sent, and send nothing')
    .optionsGroup('Options of a file of grades:')
    .option('--from <file>', 'CSV or one JSON object a line; - for standard input');
  addReadingFlags(command)
    .option('--skip-unchanged', 'leave out what is recorded as it is')
    .option('--only-if-higher', 'leave out what is not higher than the last recorded')
    .option('--expect-digest <digest>', 'send only the very plan that was looked at');
  addSendFlags(command).action(async () => {
    const options: SubmitOptions = command.optsWithGlobals();
    const { from } = options;
    refuseMixture(options);
    if (from === undefined) await runSubmit(runtime, options);
    else await runBulk(runtime, { ...options, from });
  });
}

const OF_ONE = [
  'score',
  'points',
  'comment',
  'activityProgress',
  'gradingProgress',
  'member',
] as const;
const OF_FILE = [
  'map',
  'lastWins',
  'skipUnchanged',
  'onlyIfHigher',
  'expectDigest',
  'limit',
  'concurrency',
  'rate',
] as const;

/** Refuses what speaks of one grade beside a file of them, and the other way round. */
function refuseMixture(options: SubmitOptions): void {
  const { from } = options;
  const odd = (from === undefined ? OF_FILE : OF_ONE).find((name) => options[name] !== undefined);
  if (odd === undefined) return;
  const flag = `--${odd.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)}`;
  if (from === undefined) throw new UsageError(`${flag} goes with --from FILE only`);
  throw new UsageError(`${flag} does not go with --from`, 'what is sent stands in the file');
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
    member: options.member ?? target.member ?? '',
    location: target.location,
    context: target.context,
    credential: target.credential.kind,
    body: JSON.stringify(body),
  });
  if (options.json) await printJsonText(runtime, new TextDecoder().decode(bytes));
  else await printTable(runtime, attemptTable(record));
  if (runtime.stdout.fault) throw unprinted(runtime.stdout.fault, record);
  const sent = { member: options.member ?? target.member, score: body.score };
  for (const surprise of surprisesOf(record, sent)) {
    await note(runtime, options, `warning: ${surprise}`);
  }
  if (record.status === 'failed') {
    throw new Outcome(EXIT.failed, 'grade.failed', failureText(record));
  }
}

/** The attempt stands all the same, so it is not to be sent again. */
function unprinted(fault: Error, { id, status }: GradeAttempt): StateError {
  return new StateError(
    `attempt ${id} is recorded (${status}) and kept, but it could not be printed: ${fault.message}`,
    'lectern grade log --json has the record',
    { cause: fault },
  );
}
