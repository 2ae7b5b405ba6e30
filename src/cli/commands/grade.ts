import { InvalidArgumentError, type Command } from 'commander';
import type { Context, GlobalOptions, Runtime } from '../runtime.ts';
import { addColumnFlags, addReadingFlags } from './flags.ts';
import { group, verb } from './group.ts';
import { durationSeconds } from '../arguments/duration.ts';
import { wholeNumber } from '../arguments/numbers.ts';
import { STATES } from '../../ledger/ledger.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  const grade = group(program, 'grade', summary);
  registerSubmit(grade, runtime);
  registerResume(grade, runtime);
  registerWork(grade, runtime);
  registerStop(grade, runtime);
  registerRuns(grade, runtime);
  registerReport(grade, runtime);
  registerVerify(grade, runtime);
  registerLog(grade, runtime);
}

/** The flags of sending a run, for `submit` and `resume`. */
function addSendFlags(command: Command): Command {
  return addPaceFlags(addLimitFlag(command, 'send at most this many grades'));
}

function addPaceFlags(command: Command): Command {
  return command
    .option(
      '--concurrency <n>',
      'maximum parallel requests (default: 4)',
      wholeNumber({ from: 1, to: 1024 }),
    )
    .option('--rate <n/s>', 'maximum request rate, such as 20/s or 600/min', perSecond);
}

interface OutputOptions extends GlobalOptions {
  readonly output?: string;
}

function addLimitFlag(command: Command, description: string): Command {
  return command.option('--limit <n>', description, wholeNumber({ from: 1 }));
}

/** Reads `20/s`, `20` or `600/min` as requests per second. */
function perSecond(text: string): number {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(?:\/([a-z]+))?$/.exec(text.trim()) ?? [];
  const rate = Number(number) / (durationSeconds(`1${unit}`) ?? Number.NaN);
  if (rate > 0) return rate;
  throw new InvalidArgumentError('expected a rate such as 20/s or 600/min.');
}

function registerLog(parent: Command, runtime: Runtime): void {
  const command = parent
    .command('log')
    .summary('search recorded grade attempts')
    .description(
      'List the grade attempts in the ledger, single and bulk, newest first: those made on this machine, or with a shared ledger those of all machines.',
    )
    .option('--member <id>', 'only this member')
    .option('--status <words>', `${STATES.join(', ')} or recorded; separate several with commas`)
    .option(
      '--since <time>',
      'only since a time, such as 2026-10-13, 2026-10-13T08:00Z, 90min, 12h or 7d',
    )
    .option('--run <run>', 'only this run')
    .option('-o, --output <file>', 'write to this file, in UTF-8')
    .option('--all', 'list attempts in doubt too whose grade was sent again and recorded');
  addLimitFlag(command, 'list at most this many (default on a terminal: 30)').action(
    verb(runtime, async (context: Context<OutputOptions>) => {
      const { runLog } = await import('../grade/log.ts');
      await runLog(context);
    }),
  );
}

function registerReport(parent: Command, runtime: Runtime): void {
  const command = parent
    .command('report')
    .summary('print the grades of a run')
    .description(
      "Print the grades of a run: as a table on a terminal, else as CSV, or with --json as one document. The CSV can be used with grade submit --from: text that a spreadsheet would run as a formula is prefixed with ', which --from removes.",
    )
    .argument('[run]', 'run number, as listed by lectern grade runs; the newest run if omitted')
    .option('--csv', 'print CSV on a terminal too')
    .option('-o, --output <file>', 'write to this file, in UTF-8')
    .option('--failed', 'only failed and refused grades')
    .option('--in-doubt', 'only grades in doubt: sent without a usable response')
    .option('--not-sent', 'only grades not sent yet');
  addLimitFlag(command, 'print at most this many (default on a terminal: 30)').action(
    verb(runtime, async (context: Context<OutputOptions>, run?: string) => {
      const { runReport } = await import('../grade/report.ts');
      await runReport(context, run);
    }),
  );
}

function registerResume(parent: Command, runtime: Runtime): void {
  const command = parent
    .command('resume')
    .summary('resume a run')
    .description(
      'Show which grades of a run are not sent yet, ask, and send them. The first one is sent alone, the rest when it is answered. The grade file is not needed: the ledger has the grades. A different launch or API key may be given.',
    )
    .argument('[run]', 'run number, as listed by lectern grade runs; the newest run if omitted')
    .option('--from <file>', 'warn if this is not the file that the run was created from')
    .option('--retry-failed', 'send failed and refused grades again')
    .option('--retry-in-doubt', 'send grades in doubt again; some may be published twice')
    .option('--dry-run', 'show which grades would be sent without sending them');
  addSendFlags(command).action(
    verb(runtime, async (context, run?: string) => {
      const { runResume } = await import('../grade/resume.ts');
      await runResume(context, run);
    }),
  );
}

function registerRuns(parent: Command, runtime: Runtime): void {
  const command = parent
    .command('runs')
    .summary('list bulk runs')
    .description(
      'List the bulk runs in the ledger, newest first; of a shared ledger with the workers that send them now.',
    );
  addLimitFlag(command, 'list at most this many (default on a terminal: 30)').action(
    verb(runtime, async (context) => {
      const { runRuns } = await import('../grade/runs.ts');
      await runRuns(context);
    }),
  );
}

function registerSubmit(parent: Command, runtime: Runtime): void {
  const command = parent
    .command('submit')
    .summary('submit one grade or a grade file')
    .description(
      'Submit one grade, or all grades of a file with --from. Every call publishes to the LMS again; the response is the only record and is kept in the ledger.',
    )
    .option('--score <fraction>', 'score from 0.0 to 1.0')
    .option(
      '--points <reached/possible>',
      'score as points, such as 42.5/50; also sets the points possible of the column',
    )
    .option('--max-score <points>', 'points possible of the gradebook column, set before the score')
    .option('--comment <text>', 'comment published with the score')
    .option('--activity-progress <word>', 'Completed (default) or Submitted')
    .option('--grading-progress <word>', 'FullyGraded (default) or Pending')
    .option('--member <id>', 'grade another member of the course')
    .option('--dry-run', 'show what would be sent without sending it')
    .optionsGroup('Grade file options:')
    .option('--from <file>', 'grade file: CSV or NDJSON; - for standard input');
  addReadingFlags(command)
    .option('--skip-unchanged', 'skip grades equal to the last recorded one')
    .option(
      '--only-if-higher',
      'skip scores not higher than the last recorded one, or one in doubt',
    )
    .option('--expect-digest <digest>', 'abort unless the plan has this digest')
    .option('--no-send', 'only plan the run, to be sent with grade work or grade resume')
    .option('--again', 'send records again that another run has not sent yet, or has in doubt');
  addSendFlags(command).action(
    verb(runtime, async (context) => {
      const { runSubmit } = await import('../grade/submit.ts');
      await runSubmit(context);
    }),
  );
}

function registerVerify(parent: Command, runtime: Runtime): void {
  const command = parent
    .command('verify')
    .summary('compare a run with an export of the gradebook')
    .description(
      'Compare the grades of a run with an export of the gradebook (CSV), and list each member whose score differs, who is missing from the export, or who is only in the export. Without RUN it is the newest run. A rounded score agrees. Nothing is sent.',
    )
    .argument('<file...>', 'run number, or none for the newest run; then the export, - for stdin');
  addColumnFlags(command).option(
    '--max-score <points>',
    'maximum of points for lines without max_score',
  );
  addLimitFlag(command, 'list at most this many (default on a terminal: 30)').action(
    verb(runtime, async (context, names: string[]) => {
      const { runVerify } = await import('../grade/verify.ts');
      await runVerify(context, names);
    }),
  );
}

function registerWork(parent: Command, runtime: Runtime): void {
  const command = parent
    .command('work')
    .summary('send a run of a shared ledger together with others')
    .description(
      'Join a run of a shared ledger from this machine, with its own launch or API key, and send its grades together with the other workers until all are sent. Each grade is sent by one worker. The rate that the run was planned with holds for all workers together; --rate may only be lower, for this one.',
    )
    .argument('<run>', 'run number, as listed by lectern grade runs');
  addPaceFlags(command).action(
    verb(runtime, async (context, run: string) => {
      const { runWork } = await import('../grade/work.ts');
      await runWork(context, run);
    }),
  );
}

function registerStop(parent: Command, runtime: Runtime): void {
  parent
    .command('stop')
    .summary('let all workers of a run stop')
    .description(
      'Let all workers of a run in a shared ledger stop: they send nothing more, and wait for the responses under way. lectern grade work or grade resume continues the run.',
    )
    .argument('[run]', 'run number, as listed by lectern grade runs; the newest run if omitted')
    .action(
      verb(runtime, async (context, run?: string) => {
        const { runStop } = await import('../grade/stop.ts');
        await runStop(context, run);
      }),
    );
}
