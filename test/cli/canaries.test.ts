import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import {
  answerJson,
  attemptRecord,
  launchFor,
  type SeenRequest,
  type Service,
  startService,
} from '../support/service.ts';
import { commandTree } from '../support/command-tree.ts';

/**
 * Every secret is marked. Whatever a service answers, no mark may come out of lectern but to the
 * origin it belongs to. Even a piece of a secret holds the mark.
 */
const MARK = /CANARY-[a-z]+/g;
const secret = (name: string): string => `CANARY-${name}-${'0123456789abcdef'.repeat(4)}`;

const SECRETS = {
  token: secret('token'),
  key: secret('key'),
  signature: secret('signature'),
  password: secret('password'),
};

/** The address of a ledger where there is none. */
const LEDGER = `postgres://u:${SECRETS.password}@127.0.0.1:1/x`;
const UNREACHABLE = { LECTERN_LEDGER: LEDGER };

/** How a service answers: as it should, or with everything it was sent. */
type Manner = (request: SeenRequest, response: ServerResponse, elsewhere: string) => void;

/** What a careless service repeats: first a secret that the usual cut of a text goes through. */
function echo({ target, headers, body }: SeenRequest): string {
  const sent = `${JSON.stringify(headers)} ${target} ${body}`;
  return `${'x'.repeat(480)} ${/CANARY[\w-]+/.exec(sent)?.[0]} ${sent}`;
}

function echoing(status: number): Manner {
  return (request, response) => {
    response.setHeader('x-you-sent', String(request.headers.authorization));
    answerJson(response, status, { message: echo(request) });
  };
}

const STORAGE_ECHOES = 'answers as it should, before a storage that repeats what it was sent';

const MANNERS: Readonly<Record<string, Manner>> = {
  'answers as it should': answerWell,
  'repeats the credential with 401': echoing(401),
  'repeats the credential with 422': echoing(422),
  'repeats the credential with 500': echoing(500),
  'repeats the credential in a page': (request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<html><body>${request.headers.authorization} ${echo(request)}</body></html>`);
  },
  'redirects to another origin': (request, response, elsewhere) => {
    const location = `${elsewhere}/?token=${request.headers.authorization}`;
    response.writeHead(307, { location }).end(String(request.headers.authorization));
  },
};

/** The format of errors that is tried with a status; every other behaviour has both. */
const ONE_FORMAT: Readonly<Record<string, readonly string[]>> = {
  'repeats the credential with 401': ['text'],
  'repeats the credential with 422': ['json'],
};

function answerWell(request: SeenRequest, response: ServerResponse, elsewhere: string): void {
  const isFiles = request.target.includes('f%69les');
  if (request.target.includes('/grades')) return answerJson(response, 200, attempt(request));
  if (!isFiles) {
    if (request.method === 'GET') answerJson(response, 200, { a: 1 });
    else response.writeHead(204).end();
  } else if (request.method === 'PUT') {
    const fields = { key: 'k', policy: SECRETS.signature, 'x-signature': SECRETS.signature };
    answerJson(response, 200, { url: `${elsewhere}/upload`, fields });
  } else if (request.method === 'DELETE') response.writeHead(204).end();
  else if (/\/a\.txt(\?|$)/.test(request.target)) answerJson(response, 200, record(elsewhere));
  else answerJson(response, 200, [{ key: 'a.txt', size: 3, modified: 1_790_000_000_000 }]);
}

function record(elsewhere: string) {
  return {
    key: 'a.txt',
    size: 3,
    modified: 1_790_000_000_000,
    content_type: 'text/plain',
    url: `${elsewhere}/a.txt?signature=${SECRETS.signature}`,
    expires: 1_990_000_000_000,
  };
}

/** A record that repeats the credential in its texts. */
function attempt({ headers }: SeenRequest) {
  const { data, ...rest } = attemptRecord({ status: 'failed' });
  return {
    ...rest,
    data: {
      ...data,
      response: { status: 400, body: headers.authorization },
      error: `the LMS refused ${headers.authorization}`,
    },
  };
}

/** Storage behind the signed addresses, and the target of redirects. */
function answerElsewhere(manner: string): Manner {
  if (manner === STORAGE_ECHOES) return echoing(403);
  return (request, response) => {
    if (request.method === 'POST') response.writeHead(204).end();
    else response.end('abc');
  };
}

interface Line {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** A command line for each command that there is; `{…}` is filled in. */
const LINES: Readonly<Record<string, readonly Line[]>> = {
  'completion bash': [{ args: [] }],
  'completion fish': [{ args: [] }],
  'completion powershell': [{ args: [] }],
  'completion zsh': [{ args: [] }],
  doctor: [{ args: [], env: { LECTERN_TOKEN: SECRETS.token, LECTERN_API_KEY: SECRETS.key } }],
  explain: [{ args: [] }],
  'files download': [{ args: ['member', 'a.txt', '-o', '{folder}/down.txt', '--overwrite'] }],
  'files ls': [{ args: ['member'] }],
  'files rm': [{ args: ['member', 'a.txt', '--yes'] }],
  'files stat': [{ args: ['member', 'a.txt'] }],
  'files sync': [{ args: ['{folder}/sync', 'member', '--yes'] }],
  'files upload': [{ args: ['member', '{folder}/a.txt'] }],
  'grade log': [{ args: [] }],
  'grade report': [{ args: ['1'] }],
  'grade resume': [{ args: ['1', '--yes'] }],
  'grade runs': [{ args: [] }],
  'grade verify': [{ args: ['{folder}/grades.csv'] }],
  'grade settle': [{ args: ['{folder}/grades.csv', '--yes'] }],
  'grade stop': [{ args: ['1'], env: UNREACHABLE }],
  'grade undo': [{ args: ['1', '--dry-run'] }],
  'grade work': [{ args: ['1'], env: UNREACHABLE }],
  'grade submit': [
    { args: ['--score', '1'] },
    { args: ['--score', '1', '--dry-run'] },
    { args: ['--score', '1', '-k', 'k'] },
    { args: ['--score', '1'], env: { LECTERN_API_KEY: SECRETS.key } },
    { args: ['--from', '{folder}/grades.csv', '--yes'] },
  ],
  init: [{ args: ['--yes', '--force'] }],
  'key list': [{ args: [] }],
  'key rm': [{ args: ['kk'] }],
  'key use': [{ args: ['k'] }],
  'key show': [{ args: ['k'] }],
  'key save': [{ args: ['again', '--origin', '{origin}', '--force'], input: SECRETS.key }],
  'ledger export': [{ args: ['1', '{folder}/run.lectern'] }],
  'ledger import': [{ args: [], env: UNREACHABLE }],
  'ledger init': [{ args: [], env: UNREACHABLE }],
  'ledger list': [{ args: [] }],
  'ledger migrate': [{ args: [], env: UNREACHABLE }],
  'ledger prune': [{ args: ['--older-than', '1d'], env: UNREACHABLE }],
  'ledger rm': [{ args: ['none'] }],
  'ledger save': [
    {
      args: ['team', '--force', '--url', 'postgres://u@127.0.0.1:1/x'],
      input: SECRETS.password,
    },
    { args: ['other', '--url', LEDGER] },
  ],
  'ledger status': [
    { args: [], env: UNREACHABLE },
    { args: ['--ledger', LEDGER] },
    { args: [], env: { LECTERN_LEDGER: `${LEDGER}?password=${SECRETS.password}` } },
  ],
  'ledger use': [{ args: [LEDGER] }],
  'ledger show': [{ args: [LEDGER] }],
  'launch capture': [{ args: ['--to', '{folder}/captured.json'] }],
  'launch check': [{ args: [] }, { args: [], env: { LECTERN_TOKEN: SECRETS.token } }],
  'launch decode': [
    { args: [], input: '{claims}' },
    { args: [], input: '{claims}}' },
  ],
  'launch list': [{ args: [] }],
  'launch rm': [{ args: ['xx'] }],
  'launch save': [{ args: ['again', '--force'], input: '{claims}' }],
  'launch show': [{ args: [] }],
  'launch use': [{ args: ['x'] }],
  observe: [{ args: ['--', process.execPath, '-e', ''] }],
  provision: [{ args: ['context'] }],
  'storage backup': [{ args: ['{folder}/backup', '--files'] }],
  'storage copy': [{ args: ['member', 'member_location', '--yes'] }],
  'storage diff': [{ args: ['member', 'member_location'] }],
  'storage edit': [{ args: ['member'], env: { EDITOR: 'true' } }],
  'storage get': [
    { args: ['member', '--raw'] },
    { args: ['member'] },
    { args: ['member'], env: { LECTERN_TOKEN: SECRETS.token } },
    { args: ['--url', '{elsewhere}/row'] },
  ],
  'storage history': [{ args: [] }],
  'storage history clear': [{ args: ['--yes'] }],
  'storage history off': [{ args: [] }],
  'storage history on': [{ args: [] }],
  'storage patch': [{ args: ['member', '--add', '/b:=1'] }],
  'storage put': [
    { args: ['member', '{folder}/row.json', '--yes'] },
    { args: ['member', '{folder}/row.json', '--dry-run'] },
  ],
  'storage restore': [{ args: ['{folder}/backup', '--yes'] }],
  'storage size': [{ args: ['member'] }],
  'storage undo': [{ args: ['member', '--yes'] }],
  'validate file': [{ args: ['{folder}/a.txt'] }],
  'validate grade': [{ args: ['-'], input: '{claims}' }],
  'validate grades': [{ args: ['{folder}/grades.csv'] }],
  'validate hosted-tool': [{ args: ['{folder}'] }],
  'validate key': [{ args: ['a.txt'] }],
  'validate launch': [
    { args: [], input: '{claims}' },
    { args: [], input: '{claims}}' },
  ],
  'validate locations': [{ args: [], input: '{claims}' }],
  'validate patch': [{ args: [], input: '[{"op":"add","path":"/a","value":1}]' }],
  'validate row': [{ args: ['{folder}/row.json'] }],
  'validate seed': [{ args: ['{folder}/row.json'] }],
};

/** The emulator's secrets are its own and no secret; a watch has no end. */
const EXEMPT = /^(emulator|demo|help|storage watch)\b/;

/** Commands that make no request, so that the behaviour of the service does not matter. */
const LOCAL =
  /^(completion|doctor|explain|init|key|launch (?!check)|ledger|validate|grade (log|report|runs|stop|work)|storage history)/;

/** Every command of the tree that has none below it. */
async function allCommands(): Promise<string[]> {
  const found: string[] = [];
  for await (const { path, command } of commandTree()) {
    if (command.commands.length === 0 && !EXEMPT.test(path)) found.push(path);
  }
  return found;
}

let listed: Promise<string[]> | undefined;
const commands = (): Promise<string[]> => (listed ??= allCommands());

const marksIn = (text: string): string[] => [...new Set(text.match(MARK))];

/** The arguments of the processes that the commands started; lectern itself runs in this one. */
function processTable(): string {
  if (process.platform !== 'linux') return execFileSync('ps', ['-axww', '-o', 'args=']).toString();
  const children = readdirSync('/proc/self/task').map((thread) =>
    readIfThere(`/proc/self/task/${thread}/children`),
  );
  const pids = children.join('').trim().split(' ');
  return pids.map((pid) => readIfThere(`/proc/${pid}/cmdline`)).join('\n');
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // A process ended, or a closed ledger was collected, meanwhile.
    return '';
  }
}

/** Marks in the files of a folder, but for those that keep the secrets. */
function marksOnDisk(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/\/home\/(launches|keys|ledgers)\//.test(path));
  return files.flatMap((path) => marksIn(readIfThere(path)).map((mark) => `${mark} in ${path}`));
}

const logOf = ({ requests }: Service): string =>
  requests
    .map(({ target, rawHeaders, body }) => [target, ...rawHeaders, body.toString()].join('\n'))
    .join('\n');

/** A home with the secrets, and the services that may be called. */
async function scene(manner: string) {
  const root = temporaryFolder();
  const [home, folder] = [join(root, 'home'), join(root, 'folder')];
  for (const path of [home, join(folder, 'sync')]) mkdirSync(path, { recursive: true });
  const inTable = new Set<string>();
  const elsewhere = await startService((request, response) =>
    answerElsewhere(manner)(request, response, ''),
  );
  const service = await startService((request, response) => {
    for (const mark of marksIn(processTable())) inTable.add(mark);
    (MANNERS[manner] ?? answerWell)(request, response, elsewhere.origin);
  });
  const claims = JSON.stringify(
    launchFor(service.origin, {
      api: { token: SECRETS.token, expires: 1, idle: 2 },
      provision: { context: `${service.origin}/p` },
    }),
  );
  writeFileSync(join(folder, 'a.txt'), 'abc');
  writeFileSync(join(folder, 'sync', 'b.txt'), 'abc');
  writeFileSync(join(folder, 'row.json'), '{"a":2}');
  writeFileSync(join(folder, 'grades.csv'), 'member,score\nm-1,1\n');
  for (const name of ['x', 'xx']) {
    await lectern(['launch', 'save', name], { home, input: claims });
  }
  for (const name of ['k', 'kk']) {
    const args = ['key', 'save', name, '--origin', service.origin];
    await lectern(args, { home, input: SECRETS.key });
  }
  const values: Record<string, string> = {
    folder,
    claims,
    origin: service.origin,
    elsewhere: elsewhere.origin,
  };
  const filled = (text: string): string =>
    text.replace(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all);
  return {
    root,
    service,
    elsewhere,
    inTable,
    run: ({ args, env = {}, input = '' }: Line, command: string, flags: readonly string[]) =>
      lectern([...command.split(' '), ...args.map(filled), ...flags, '--timeout', '5'], {
        home,
        env: { TMPDIR: folder, ...env },
        input: filled(input),
        cwd: folder,
      }),
  };
}

const AT_ONCE = 4;

async function someAtOnce(calls: (() => Promise<void>)[]): Promise<void> {
  const rest = calls.values();
  const worker = async (): Promise<void> => {
    for (const call of rest) await call();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

test('every command takes part in the search for secrets', async () => {
  const missing = (await commands()).filter((command) => !(command in LINES));
  expect(missing).toEqual([]);
});

describe.each([...Object.keys(MANNERS), STORAGE_ECHOES])('a service that %s', (manner) => {
  test('does not make lectern print or store a secret', async () => {
    const { root, service, elsewhere, inTable, run } = await scene(manner);
    const called = (await commands()).filter(
      (command) => manner === 'answers as it should' || !LOCAL.test(command),
    );
    const leaks: string[] = [];
    const formats = ONE_FORMAT[manner] ?? ['text', 'json'];
    for (const format of formats) {
      const flags = format === 'json' ? ['--verbose', '--json'] : ['--verbose'];
      const calls = called.flatMap((command) =>
        (LINES[command] ?? []).map((line) => async () => {
          const { stdout, stderr } = await run(line, command, flags);
          // A bug would end a command before it has done what might leak.
          const isBad = marksIn(stdout + stderr).length > 0 || stderr.includes('this is a bug');
          if (isBad) leaks.push(`${command} ${flags.join(' ')}: ${stdout}${stderr}`);
        }),
      );
      await someAtOnce(calls);
    }
    expect(leaks).toEqual([]);
    expect(marksOnDisk(root)).toEqual([]);
    expect([...inTable]).toEqual([]);
    // The form's own values go to storage, where a service answers with one, and nothing else does.
    const isGood = manner.startsWith('answers as it should');
    expect(marksIn(logOf(elsewhere))).toEqual(isGood ? ['CANARY-signature'] : []);
    expect(marksIn(logOf(service))).toEqual(expect.arrayContaining(['CANARY-token', 'CANARY-key']));
    expect(marksIn(logOf(service))).not.toContain('CANARY-signature');
  });
});
