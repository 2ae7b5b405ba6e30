import * as flags from '../grade/flags.ts';
import { LIMIT_FLAG } from '../arguments/numbers.ts';
import { defineCommand, type Noun, unlessDryRun, verbs } from '../declare/define.ts';
import { LEDGER_EXITS, WRITE_EXITS } from './exits.ts';

const RUN = 'run number, as listed by lectern grade runs';
const NEWEST_RUN = { name: '[run]', help: `${RUN}; the newest run if omitted` } as const;
const SEND = [...WRITE_EXITS, 9, 130] as const;

export const gradeNoun: Noun = {
  commands: verbs({
    submit: defineCommand({
      summary: 'submit one grade or a grade file',
      description:
        'Submit one grade, or all grades of a file with --from. Every call publishes to the LMS again; the response is the only record and is kept in the ledger.',
      flags: flags.SUBMIT_FLAGS,
      examples: [
        'lectern grade submit --member member-111 --points 42.5/50',
        'lectern grade submit --from grades.csv --dry-run',
        'lectern grade submit --from grades.csv --skip-unchanged --yes',
      ],
      exits: SEND,
      changes: (options) => unlessDryRun(options) && options.send !== false,
      list: { only: 'from', not: ['send'], which: ({ dryRun }) => (dryRun ? 'plan' : 'sent') },
      load: async () => (await import('../grade/submit.ts')).runSubmit,
    }),
    resume: defineCommand({
      summary: 'resume a run',
      description:
        'Show which grades of a run are not sent yet, ask, and send them. The first one is sent alone, the rest when it is answered. The grade file is not needed: the ledger has the grades. Grades that another run has since recorded are skipped, and those whose member has a newer grade are held back. A different launch or API key may be given.',
      args: [NEWEST_RUN],
      flags: flags.RESUME_FLAGS,
      examples: ['lectern grade resume 1 --retry-failed --yes'],
      exits: SEND,
      changes: unlessDryRun,
      list: {
        which: ({ dryRun }) => (dryRun ? 'plan' : 'sent'),
        columns: async (list) =>
          list === 'sent' ? {} : (await import('../output/grade-run.ts')).PLANNED,
      },
      load: async () => (await import('../grade/resume.ts')).runResume,
    }),
    work: defineCommand({
      summary: 'send a run of a shared ledger together with others',
      description:
        'Join a run of a shared ledger from this machine, with its own launch or API key, and send its grades together with the other workers until all are sent. Each grade is sent by one worker. The rate that the run was planned with holds for all workers together; --rate may only be lower, for this one.',
      args: [{ name: '<run>', help: RUN }],
      flags: flags.WORK_FLAGS,
      examples: ['lectern grade work 7 --ledger postgres://ci@127.0.0.1:1/grades --concurrency 8'],
      exits: SEND,
      changes: () => true,
      list: {},
      load: async () => (await import('../grade/work.ts')).runWork,
    }),
    stop: defineCommand({
      summary: 'let all workers of a run stop',
      description:
        'Let all workers of a run in a shared ledger stop: they send nothing more, and wait for the responses under way. lectern grade work or grade resume continues the run.',
      args: [NEWEST_RUN],
      examples: ['lectern grade stop 7 --ledger postgres://ci@127.0.0.1:1/grades'],
      exits: LEDGER_EXITS,
      load: async () => (await import('../grade/runs.ts')).runStop,
    }),
    undo: defineCommand({
      summary: 'take a run back',
      description:
        'Plan the grades that were recorded before a run as a run of its own, show the plan, ask, and send it: one for each member whose grade the run has recorded or in doubt. Members without an earlier score are listed, and nothing is sent for them. Grades whose member has a newer grade are held back.',
      args: [{ name: '[run]', help: `${RUN}; the newest run that is no undo if omitted` }],
      flags: flags.UNDO_FLAGS,
      examples: ['lectern grade undo 1 --dry-run', 'lectern grade undo 1 --only member-111 --yes'],
      exits: SEND,
      changes: (options) => unlessDryRun(options) && options.send !== false,
      list: { not: ['send'], which: ({ dryRun }) => (dryRun ? 'plan' : 'sent') },
      load: async () => (await import('../grade/undo.ts')).runUndo,
    }),
    runs: defineCommand({
      summary: 'list bulk runs',
      description:
        'List the bulk runs in the ledger, newest first; of a shared ledger with the workers that send them now.',
      flags: LIMIT_FLAG,
      examples: ['lectern grade runs'],
      list: { columns: async () => (await import('../output/grade-run.ts')).SHARED_RUNS },
      load: async () => (await import('../grade/runs.ts')).runRuns,
    }),
    report: defineCommand({
      summary: 'print the grades of a run',
      description:
        "Print the grades of a run: as a table on a terminal, else as CSV, or with --json as one document. The CSV can be used with grade submit --from: text that a spreadsheet would run as a formula is prefixed with ', which --from removes. --receipt prints a CSV to be filed: for each grade when it was sent, where, the score recorded before, and its outcome; the last line has the digest of the run.",
      args: [NEWEST_RUN],
      flags: flags.REPORT_FLAGS,
      examples: [
        'lectern grade report 1 --failed',
        'lectern grade report 1 --csv',
        'lectern grade report 1 --receipt -o receipt.csv',
        'lectern grade report 1 --json',
      ],
      list: {
        columns: async () => (await import('../grade/report.ts')).REPORTED,
      },
      load: async () => (await import('../grade/report.ts')).runReport,
    }),
    verify: defineCommand({
      summary: 'compare a run with an export of the gradebook',
      description:
        'Compare the grades of a run with an export of the gradebook (CSV), and list each member whose score differs, who is missing from the export, or who is only in the export. Without RUN it is the newest run. A rounded score agrees. Nothing is sent.',
      args: [
        {
          name: '<file...>',
          help: 'run number, or none for the newest run; then the export, - for stdin',
        },
      ],
      flags: flags.VERIFY_FLAGS,
      examples: [
        'lectern grade verify grades.csv',
        'lectern grade verify 1 grades.csv --ignore-other-columns',
      ],
      exits: [1, 3],
      list: { columns: async () => (await import('../output/differences.ts')).DIFFERENCES },
      load: async () => (await import('../grade/verify.ts')).runVerify,
    }),
    settle: defineCommand({
      summary: 'settle grades in doubt by an export of the gradebook',
      description:
        'Settle the grades of a run that are in doubt by an export of the gradebook, which is read as by grade verify: one whose score the export shows becomes recorded, and the others are listed. With --member it is done by hand, also for a grade that was settled before. The ledger keeps the evidence, the time and your name. Without RUN it is the newest run; with --member also a grade that was submitted without a run. Nothing is sent. The exit code is 1 while a grade of the run is in doubt.',
      args: [
        {
          name: '[names...]',
          help: 'run number, or none for the newest run; then the export, - for stdin',
        },
      ],
      flags: flags.SETTLE_FLAGS,
      examples: [
        'lectern grade settle grades.csv --yes',
        'lectern grade settle 1 grades.csv --ignore-other-columns --dry-run',
        'lectern grade settle 1 --member member-111 --recorded --because seen',
      ],
      exits: [1, 3],
      list: { columns: async () => (await import('../grade/settle.ts')).JUDGED },
      load: async () => (await import('../grade/settle.ts')).runSettle,
    }),
    log: defineCommand({
      summary: 'search recorded grade attempts',
      description:
        'List the grade attempts in the ledger, single and bulk, newest first: those made on this machine, or with a shared ledger those of all machines.',
      flags: flags.LOG_FLAGS,
      examples: [
        'lectern grade log --member member-111',
        'lectern grade log --status failed,refused --since 7d',
      ],
      list: { columns: async () => (await import('../grade/log.ts')).LOG },
      load: async () => (await import('../grade/log.ts')).runLog,
    }),
  }),
};
