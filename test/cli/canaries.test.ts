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
import { linesIn, wordsOf } from '../support/steps.ts';

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

const GIVEN = `LECTERN_LEDGER=${LEDGER}`;
const OF_TOKEN = `LECTERN_TOKEN=${SECRETS.token}`;
const OF_KEY = `LECTERN_API_KEY=${SECRETS.key}`;

/** A command line for each command that there is, with its variables and its input; `{…}` is filled in. */
const LINES = linesIn(`
  completion bash
  completion fish
  completion powershell
  completion zsh
  ${OF_TOKEN} ${OF_KEY} doctor
  explain
  files download member a.txt -o {folder}/down.txt --overwrite
  files ls member
  files rm member a.txt --yes
  files stat member a.txt
  files sync {folder}/sync member --yes
  files upload member {folder}/a.txt
  grade log
  grade report 1
  grade resume 1 --yes
  grade runs
  grade verify {folder}/grades.csv
  grade settle {folder}/grades.csv --yes
  ${GIVEN} grade stop 1
  grade undo 1 --dry-run
  ${GIVEN} grade work 1
  grade submit --score 1
  grade submit --score 1 --dry-run
  grade submit --score 1 -k k
  ${OF_KEY} grade submit --score 1
  grade submit --from {folder}/grades.csv --yes
  init --yes --force
  key list
  key rm kk
  key use k
  key show k
  key save again --origin {origin} --force < ${SECRETS.key}
  ledger export 1 {folder}/run.lectern
  ${GIVEN} ledger import
  ${GIVEN} ledger init
  ledger list
  ${GIVEN} ledger migrate
  ${GIVEN} ledger prune --older-than 1d
  ledger rm none
  ledger save team --force --url postgres://u@127.0.0.1:1/x < ${SECRETS.password}
  ledger save other --url ${LEDGER}
  ${GIVEN} ledger status
  ledger status --ledger ${LEDGER}
  ${GIVEN}?password=${SECRETS.password} ledger status
  ledger use ${LEDGER}
  ledger show ${LEDGER}
  launch capture --to {folder}/captured.json
  launch check
  ${OF_TOKEN} launch check
  launch decode < {claims}
  launch decode < {claims}}
  launch list
  launch rm xx
  launch save again --force < {claims}
  launch show
  launch use x
  observe -- ${process.execPath} -e ''
  provision context
  storage backup {folder}/backup --files
  storage copy member member_location --yes
  storage diff member member_location
  EDITOR=true storage edit member
  storage get member --raw
  storage get member
  ${OF_TOKEN} storage get member
  storage get --url {elsewhere}/row
  storage history
  storage history clear --yes
  storage history off
  storage history on
  storage patch member --add /b:=1
  storage put member {folder}/row.json --yes
  storage put member {folder}/row.json --dry-run
  storage restore {folder}/backup --yes
  storage size member
  storage undo member --yes
  validate file {folder}/a.txt
  validate grade - < {claims}
  validate grades {folder}/grades.csv
  validate hosted-tool {folder}
  validate key a.txt
  validate launch < {claims}
  validate launch < {claims}}
  validate locations < {claims}
  validate patch < [{"op":"add","path":"/a","value":1}]
  validate row {folder}/row.json
  validate seed {folder}/row.json`).map((line) => {
  const [, variables = '', command = '', input = ''] =
    /^((?:[A-Z_]+=\S+ )*)(.*?)(?: < (.*))?$/.exec(line) ?? [];
  const env = [...variables.matchAll(/(\S+?)=(\S+)/g)].map(([, name, value]) => [name, value]);
  return { command, input, env: Object.fromEntries(env) as Record<string, string> };
});

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
    run: ({ command, env, input }: (typeof LINES)[number], flags: string) =>
      lectern(wordsOf(filled(command).replace(/( -- |$)/, ` ${flags} --timeout 5$1`)), {
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
  const isTried = (path: string): boolean => LINES.some(({ command }) => command.startsWith(path));
  expect((await allCommands()).filter((path) => !isTried(path))).toEqual([]);
});

const TRIED = [...Object.keys(MANNERS), STORAGE_ECHOES].map((manner, at) => ({ manner, at }));

describe.each(TRIED)('a service that $manner', ({ manner, at }) => {
  test('does not make lectern print or store a secret', async () => {
    const { root, service, elsewhere, inTable, run } = await scene(manner);
    const isFirst = at === 0;
    const isGood = isFirst || manner === STORAGE_ECHOES;
    // One format of errors is enough where a service only repeats what it was sent.
    const formats = isGood ? ['text', 'json'] : [at % 2 === 0 ? 'json' : 'text'];
    const tried = LINES.filter(({ command }) => isFirst || !LOCAL.test(command));
    const leaks: string[] = [];
    for (const format of formats) {
      const flags = format === 'json' ? '--verbose --json' : '--verbose';
      const calls = tried.map((line) => async () => {
        const { stdout, stderr } = await run(line, flags);
        // A bug would end a command before it has done what might leak.
        const isBad = marksIn(stdout + stderr).length > 0 || stderr.includes('this is a bug');
        if (isBad) leaks.push(`${line.command} ${flags}: ${stdout}${stderr}`);
      });
      await someAtOnce(calls);
    }
    expect(leaks).toEqual([]);
    expect(marksOnDisk(root)).toEqual([]);
    expect([...inTable]).toEqual([]);
    // The form's own values go to storage, where a service answers with one, and nothing else does.
    expect(marksIn(logOf(elsewhere))).toEqual(isGood ? ['CANARY-signature'] : []);
    expect(marksIn(logOf(service))).toEqual(expect.arrayContaining(['CANARY-token', 'CANARY-key']));
    expect(marksIn(logOf(service))).not.toContain('CANARY-signature');
  });
});
