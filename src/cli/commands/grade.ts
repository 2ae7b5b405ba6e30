import { InvalidArgumentError, type Command } from 'commander';
import type { Runtime } from '../runtime.ts';
import { addReadingFlags } from './flags.ts';
import { group, verb } from './group.ts';
import { durationSeconds } from '../arguments/duration.ts';
import { wholeNumber } from '../arguments/numbers.ts';
import { STATES } from '../../ledger/ledger.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  const grade = group(program, 'grade', summary);
  registerSubmit(grade, runtime);
  registerResume(grade, runtime);
  registerRuns(grade, runtime);
  registerReport(grade, runtime);
  registerLog(grade, runtime);
}

/** The flags by which a run is sent, now or on a resume. */
function addSendFlags(command: Command): Command {
  return addLimitFlag(command, 'send no more than this many')
    .option('--concurrency <n>', 'so many at once (default 4)', wholeNumber({ from: 1, to: 1024 }))
    .option('--rate <n/s>', 'no faster than this', perSecond);
}

function addLimitFlag(command: Command, description: string): Command {
  return command.option('--limit <n>', description, wholeNumber({ from: 1 }));
}

/** `20/s`, `20` or `600/min`, as requests a second. */
function perSecond(text: string): number {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(?:\/([a-z]+))?$/.exec(text.trim()) ?? [];
  const rate = Number(number) / (durationSeconds(`1${unit}`) ?? Number.NaN);
  if (rate > 0) return rate;
  throw new InvalidArgumentError('a rate such as 20/s or 600/min is needed.');
}

function registerLog(parent: Command, runtime: Runtime): void {
  const command = parent
    .command('log')
    .summary('search every attempt made from here')
    .description(
      'List the attempts that were made from here, single ones and those of runs, the newest first.',
    )
    .option('--member <id>', 'of this member')
    .option('--status <words>', `${STATES.join(', ')} or recorded; several with commas`)
    .option('--since <time>', 'no older than 2026-10-13, 2026-10-13T08:00Z, 90min, 12h or 7d')
    .option('--run <run>', 'of this run');
  addLimitFlag(command, 'no more than this many').action(
    verb(runtime, async (context) => {
      const { runLog } = await import('../grade/log.ts');
      await runLog(context);
    }),
  );
}

function registerReport(parent: Command, runtime: Runtime): void {
  parent
    .command('report')
    .summary('the rows of a run as CSV')
    .description(
      'Print the rows of a run as CSV, or with --json as one document. The CSV can be given to grade submit --from as it is; a text that a spreadsheet would run has a mark before it, which is taken off there.',
    )
    .argument('<run>', 'its number; lectern grade runs lists them')
    .option('--failed', 'those that were recorded as failed, or refused')
    .option('--in-doubt', 'those that were sent and have no usable answer')
    .option('--not-sent', 'those that are not sent yet')
    .action(
      verb(runtime, async (context, run: string) => {
        const { runReport } = await import('../grade/report.ts');
        await runReport(context, run);
      }),
    );
}

function registerResume(parent: Command, runtime: Runtime): void {
  const command = parent
    .command('resume')
    .summary('go on with a run')
    .description(
      'Send the rows of a run that are not sent yet. The ledger has all that is needed; the file may be gone. A new launch or API key may be given.',
    )
    .argument('<run>', 'its number; lectern grade runs lists them')
    .option('--from <file>', 'say whether this is still the file that the run was made from')
    .option('--retry-failed', 'send those again that were recorded as failed, or refused')
    .option('--retry-in-doubt', 'send those again that are in doubt: some may be published twice')
    .option('--dry-run', 'show which rows would be sent, and send nothing');
  addSendFlags(command).action(
    verb(runtime, async (context, run: string) => {
      const { runResume } = await import('../grade/resume.ts');
      await runResume(context, run);
    }),
  );
}

function registerRuns(parent: Command, runtime: Runtime): void {
  parent
    .command('runs')
    .summary('list the bulk runs')
    .description('List the runs that were made of files of grades here, the newest first.')
    .action(
      verb(runtime, async (context) => {
        const { runRuns } = await import('../grade/runs.ts');
        await runRuns(context);
      }),
    );
}

function registerSubmit(parent: Command, runtime: Runtime): void {
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
  addSendFlags(command).action(
    verb(runtime, async (context) => {
      const { runSubmit } = await import('../grade/submit.ts');
      await runSubmit(context);
    }),
  );
}
