import { CONTRACT_VERSION } from '../../contract/index.ts';
import { EXIT_MEANINGS } from '../exit-codes.ts';

/** A page of help that is about no single command. */
export interface Topic {
  readonly summary: string;
  readonly text: () => string;
}

/** The pages of `lectern help TOPIC`; `flags` is made of the program's own flags. */
export const TOPICS: Readonly<Record<string, Topic>> = {
  'exit-codes': {
    summary: 'what each exit code means',
    text: () =>
      Object.entries(EXIT_MEANINGS)
        .map(([exit, meaning]) => `${exit.padStart(5)}  ${meaning}`)
        .join('\n'),
  },
  environment: {
    summary: 'the environment variables',
    text: () => `LECTERN_HOME        the folder of all state; else the platform's own folders
LECTERN_LAUNCH      the launch to use, by name or file
LECTERN_TOKEN       replaces the token of the launch; the token itself
LECTERN_API_KEY     a tool API key, for grades only; the key itself
LECTERN_EMULATOR    a running emulator, by URL or data folder
NO_COLOR            no colour
VISUAL, EDITOR      the editor of storage edit
NODE_EXTRA_CA_CERTS certificates to trust besides those of Node

A flag is stronger than the environment, and that than what is saved.`,
  },
  formatting: {
    summary: 'tables, JSON and tab-separated text',
    text: () => `On a terminal a table is fitted to its width: what says least is left out first,
identifiers are never cut, the last column wraps; --wide shows all. Times are
short. Red is what failed or is refused, yellow what is in doubt or a warning,
green what is recorded or live.

Where standard output is no terminal, the same rows are tab-separated text
without a header, with exact times and numbers:

    lectern grade log | cut -f3,5

With --json standard output is one JSON document, or a line of JSON each for
what comes in turn (storage watch, grade log, grade submit --from). An error is
then one JSON object on standard error: {"error":{"code","exit","message",...}}.`,
  },
  credentials: {
    summary: 'tokens and keys: where they come from, where they go',
    text: () => `A launch brings a token: lectern launch save NAME FILE. A tool's server has an
API key, for grades only: lectern key save NAME --origin URL.

Both are read from standard input, a file, the environment or a hidden prompt,
and never from an argument: other programs see those. They are kept in the
system keychain where there is one, else in files that only you can read.

A credential goes to the origin of the service that it was saved for, to no
signed address, and through no redirect. It is never printed, but by
lectern launch show --reveal.`,
  },
  scripting: {
    summary: 'lectern in scripts and CI jobs',
    text: () => `Go by the exit code, see lectern help exit-codes: 10 means that a write may have
taken effect, so look before sending it again.

Where nobody can be asked a question is an error (exit 2): add --yes. --dry-run
shows what a write would send, and sends nothing. --quiet leaves errors only.

    lectern grade submit --from grades.csv --dry-run --json > plan.json
    lectern grade submit --from grades.csv --yes --json > attempts.ndjson

A run that was interrupted goes on with lectern grade resume RUN, which sends
nothing twice. Tests find a service of their own with
lectern emulator exec -- npm test.`,
  },
  contract: {
    summary: 'the contract that lectern goes by',
    text: () => `lectern goes by the dated contract of the service, the one of ${CONTRACT_VERSION}:
every limit, message and status stands in lectern explain. What the contract
leaves open is a warning and never an error.

    lectern explain limits
    lectern explain errors
    lectern explain 422`,
  },
};
