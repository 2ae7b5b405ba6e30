import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { addReadingFlags, addSendFlags } from './flags.ts';

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
    const { runSubmit } = await import('../../grade/submit.ts');
    await runSubmit(runtime, command.optsWithGlobals());
  });
}
