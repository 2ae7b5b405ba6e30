import { EXPORT_RUN_FLAGS, PRUNE_FLAGS, SAVE_LEDGER_FLAGS } from '../ledger/flags.ts';
import { defineCommand, type Noun, verbs } from '../declare/define.ts';
import { LEDGER_EXITS } from './exits.ts';
import { savedCommands } from './saved.ts';

export const ledgerNoun: Noun = {
  commands: verbs({
    init: defineCommand({
      summary: 'create a ledger in a PostgreSQL database',
      description:
        'Create the schema lectern in a PostgreSQL database (14 or later), and print the SQL that makes the roles lectern_owner, lectern_worker and lectern_reader with their rights. Nothing outside of that schema is touched.',
      examples: ['lectern ledger init --ledger postgres://owner@127.0.0.1:1/grades'],
      exits: LEDGER_EXITS,
      load: async () => (await import('../ledger/server.ts')).runInit,
    }),
    migrate: defineCommand({
      summary: 'update the schema of a ledger',
      description:
        'Update the schema of an older ledger to the version of this lectern. No other command does. End the workers first: an older lectern refuses a newer schema.',
      examples: ['lectern ledger migrate --ledger postgres://owner@127.0.0.1:1/grades'],
      exits: LEDGER_EXITS,
      load: async () => (await import('../ledger/server.ts')).runMigrate,
    }),
    status: defineCommand({
      summary: 'show version, TLS, workers, runs, doubts and replication',
      description:
        'Show the status of a shared ledger: schema and server version, TLS, the login and its role, runs, attempts in doubt, the workers that send now, replication, and the responses on this machine that the server has not taken yet, which are delivered first.',
      examples: ['lectern ledger status --ledger postgres://ci@127.0.0.1:1/grades'],
      exits: LEDGER_EXITS,
      list: { columns: async () => (await import('../output/grade-run.ts')).WORKERS },
      load: async () => (await import('../ledger/server.ts')).runStatus,
    }),
    save: defineCommand({
      summary: 'save the address of a ledger by name',
      description:
        'Save the address of a shared ledger by name. The password is read from standard input, or prompted for on a terminal; it is never an argument, never shown, and may be empty, for ~/.pgpass or PGPASSWORD to have it.',
      args: [{ name: '<name>', help: 'the name to save it under' }],
      flags: SAVE_LEDGER_FLAGS,
      examples: ['lectern ledger save team --url postgres://ci@127.0.0.1:1/grades < password.txt'],
      exits: [3],
      load: async () => (await import('../ledger/save.ts')).runSave,
    }),
    ...savedCommands(
      'ledger',
      {
        list: [
          'list saved ledgers',
          'List the saved addresses of shared ledgers. Passwords are never shown.',
          'lectern ledger list',
        ],
        use: [
          'choose the ledger of later commands',
          'Choose the saved ledger that later commands use; local is the one of this machine.',
          'lectern ledger use team',
          'lectern ledger use local',
        ],
        show: [
          'show a saved ledger',
          'Show the saved address of a ledger, without its password. Defaults to the ledger in use.',
          'lectern ledger show team',
        ],
        rm: [
          'delete a saved address',
          'Delete a saved address and its password. The ledger itself is not touched.',
          'lectern ledger rm team',
        ],
      },
      'local',
    ),
    export: defineCommand({
      summary: 'move a run to another machine',
      description:
        'Write a run of this machine with its records, doubts and evidence to a file, for lectern ledger import on another machine. Then it can be resumed there only: here, lectern grade resume refuses it until it comes back, or --again is passed. The file has members and scores, and the address of the run; only you can read it.',
      args: [
        { name: '<run>', help: 'run number, as listed by lectern grade runs' },
        { name: '<file>', help: 'the file to write' },
      ],
      flags: EXPORT_RUN_FLAGS,
      examples: ['lectern ledger export 1 run.lectern'],
      exits: [1, 3],
      load: async () => (await import('../ledger/export.ts')).runExport,
    }),
    import: defineCommand({
      summary: "import the export of a run, or this machine's ledger into a shared one",
      description:
        "With a file of ledger export, add its run to this machine's ledger, under a new number: its records, doubts and evidence. Without a file, copy the attempts and runs of this machine's ledger into a shared one, in one transaction. Repeated, it adds what is new since. A run that is being sent is left out. Runs get new numbers there.",
      args: [{ name: '[file]', help: 'a file of lectern ledger export; - for standard input' }],
      examples: ['lectern ledger import run.lectern', 'lectern ledger import --ledger team'],
      exits: [...LEDGER_EXITS, 3],
      load: async () => (await import('../ledger/import.ts')).runImport,
    }),
    prune: defineCommand({
      summary: 'remove old attempts and runs from a shared ledger',
      description:
        "Remove attempts and runs older than a duration, by the server's clock. The newest success of each member, all attempts in doubt and all unfinished runs are kept. Needs the owner role.",
      flags: PRUNE_FLAGS,
      examples: ['lectern ledger prune --older-than 180d --ledger team'],
      exits: LEDGER_EXITS,
      load: async () => (await import('../ledger/server.ts')).runPrune,
    }),
  }),
};
