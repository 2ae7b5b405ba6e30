import { CONTRACT_VERSION } from '../../contract/index.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { PRECEDENCE } from '../session/precedence.ts';
import { fill, items } from './layout.ts';

/** A page of help that does not belong to a command. */
export interface Topic {
  readonly summary: string;
  /** Paragraphs; lines that are indented by four stay unchanged. */
  readonly text?: string;
  /** A list after the text. */
  readonly rows?: readonly (readonly [name: string, meaning: string])[];
}

/** A page for a terminal of this width. */
export function topicPage({ text, rows }: Topic, width: number): string {
  return [...(text ? [fill(text, width)] : []), ...(rows ? [items(rows, width)] : [])].join('\n\n');
}

export const ENVIRONMENT: readonly { name: string; meaning: string }[] = [
  { name: 'LECTERN_HOME', meaning: "the folder of all state; else the platform's folders" },
  { name: 'LECTERN_LAUNCH', meaning: 'the launch to use, by name or file' },
  { name: 'LECTERN_TOKEN', meaning: 'replaces the token of the launch; the token itself' },
  { name: 'LECTERN_API_KEY', meaning: 'a tool API key, for grades only; the key itself' },
  {
    name: 'LECTERN_POLICY',
    meaning: 'read: refuse every change at a service; write: the default',
  },
  { name: 'LECTERN_LEDGER', meaning: 'the shared ledger to use, by URL or name; local for none' },
  { name: 'LECTERN_EMULATOR', meaning: 'a running emulator, by URL or data folder' },
  {
    name: 'LECTERN_EMULATOR_TOKEN',
    meaning: 'its token, where it is on another machine; of emulator start, the token to require',
  },
  { name: 'LECTERN_PROJECT', meaning: 'off: no project file is used' },
  { name: 'LECTERN_KEYCHAIN', meaning: 'on or off: whether the system keychain keeps secrets' },
  { name: 'NO_COLOR', meaning: 'disables colors' },
  { name: 'LECTERN_PAGER, PAGER', meaning: 'the pager of long texts; less -FRX if neither is set' },
  { name: 'VISUAL, EDITOR', meaning: 'the editor of storage edit' },
  { name: 'PGUSER, PGPASSWORD', meaning: 'the login of a shared ledger' },
  { name: 'PGPASSFILE', meaning: 'a file with its password, in place of ~/.pgpass' },
  { name: 'PGSSLROOTCERT', meaning: 'the authority of its certificate' },
  { name: 'HTTPS_PROXY, HTTP_PROXY', meaning: 'the proxy of requests' },
  { name: 'NO_PROXY', meaning: 'hosts that are called without it' },
  { name: 'NODE_EXTRA_CA_CERTS', meaning: 'certificates to trust besides those of Node' },
];

const FLAGS_FIRST =
  'A flag takes precedence over the environment, the environment over lectern.json, and that over saved settings.';

const CREDENTIALS = `A launch brings a token: lectern launch save NAME FILE. A tool's server has an
API key, for grades only: lectern key save NAME --origin URL.

Both are read from standard input, a file, the environment or a hidden prompt,
never from an argument, which other programs can see. They are kept in the
system keychain if there is one, else in files that only you can read.

A credential is sent only to the origin of the service that it was saved for,
never to a signed URL, never through a redirect. Only
lectern launch show --reveal prints it.

Each part of a call is looked for in this order; the first that is given is used:`;

/** The pages of `lectern help TOPIC`; `flags` lists the program's own flags. */
export const TOPICS: Readonly<Record<string, Topic>> = {
  'exit-codes': {
    summary: 'what each exit code means',
    rows: EXIT_CODES.map(({ code, meaning }) => [String(code).padStart(5), meaning]),
  },
  environment: {
    summary: 'the environment variables',
    text: FLAGS_FIRST,
    rows: ENVIRONMENT.map(({ name, meaning }) => [name, meaning]),
  },
  formatting: {
    summary: 'tables, JSON and tab-separated text',
    text: `On a terminal a table fits its width: the least important columns are left out
first, identifiers are never cut, and the last column wraps; --wide shows all.
Times are short. Red is what failed or was refused, yellow what is in doubt or
a warning, green what is recorded or live.

In a pipe or file the same rows are tab-separated text without a header, with
exact times and numbers:

    lectern grade log --fields member,outcome

With --json standard output is one JSON document, or one JSON object per line
for streams (grade submit --from, resume, undo, work and log, storage watch,
launch check --watch, emulator requests). An error is one JSON object on
standard error. The JSON Schema of what a command prints:

    lectern explain json grade submit
    lectern explain json error`,
  },
  credentials: {
    summary: 'tokens and keys: where they come from, where they go',
    text: CREDENTIALS,
    rows: Object.entries(PRECEDENCE).map(([what, { words }]) => [what, words]),
  },
  scripting: {
    summary: 'lectern in scripts and CI jobs',
    text: `Check the exit code, see lectern help exit-codes: 10 means that a write may
have taken effect, so check before sending it again.

Without a terminal a question is an error (exit 2): add --yes. --dry-run shows
what a write would send, and sends nothing. --quiet prints only errors.

    lectern grade submit --from grades.csv --dry-run --json > plan.json
    lectern grade submit --from grades.csv --yes --json > attempts.ndjson

Continue an interrupted run with lectern grade resume RUN; it sends nothing
twice. Run tests against an emulator of their own with
lectern emulator exec -- npm test.`,
  },
  contract: {
    summary: 'the contract that lectern follows',
    text: `lectern follows the dated contract of the service, version ${CONTRACT_VERSION}:
lectern explain has every limit, message and status. What the contract leaves
open is a warning, never an error.

    lectern explain limits
    lectern explain errors
    lectern explain 422`,
  },
};
