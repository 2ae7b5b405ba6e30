import { OTHERS_MODE } from '../../disk/private-file.ts';
import { EXIT } from '../exit-codes.ts';
import { ExitError } from '../errors.ts';
import {
  type Context,
  copyWith,
  type Machine,
  type Runtime,
  type CommandDisk,
} from '../runtime.ts';
import { ledgerPlace } from '../session/ledger.ts';
import type { Prints } from '../output/all-forms.ts';
import { CHECKUPS, type CheckResult } from '../output/checks.ts';
import type { Colors } from '../colors.ts';
import { paint, toneOf } from '../output/paint.ts';
import { escapeText } from '../../contract/escape.ts';
import { tableOf } from '../output/columns.ts';
import { wrapLines } from '../output/wrap.ts';
import { basename, dirname, join } from 'node:path';
import { allDoubtsHint } from '../output/grade-run.ts';
import { launchText } from '../output/launch.ts';
import { launchSummary } from '../saved/kinds.ts';
import { bytesText, countText, timeText } from '../output/units.ts';
import { errorReportOf } from '../error-report.ts';
import { findProject } from '../declare/define.ts';
import { policyOf } from '../policy.ts';

export async function runDoctor(context: Context): Prints<'doctor'> {
  const checkups = [...(await checkMachine(context)), ...(await checkState(context))];
  const failures = checkups.filter(({ state }) => state === 'wrong').map(({ name }) => name);
  const isOk = failures.length === 0;
  const message = `failed checks: ${failures.join(', ')}`;
  return {
    json: { ok: isOk, checkups },
    show: {
      table: tableOf(CHECKUPS, checkups, context.now()),
      terminal: {
        drawn: ({ columns, colors }) => `${doctorText(checkups, columns, colors)}\n`,
      },
    },
    exit: isOk ? undefined : new ExitError(EXIT.unexpected, 'doctor', message),
  };
}

/** The checks for a terminal, where paths and hints are not cut to the width of a column. */
function doctorText(checkups: readonly CheckResult[], width: number, colors: Colors): string {
  const lines = checkups.flatMap(({ name, state, detail, hint }) => {
    const texts = [`${name}: ${detail}`, ...(hint === null ? [] : [hint])].map(escapeText);
    const fitting = wrapLines(texts, width - STATE_WIDTH);
    return fitting.map((line, index) =>
      index === 0
        ? paint(colors, toneOf(state), state) + ' '.repeat(STATE_WIDTH - state.length) + line
        : ' '.repeat(STATE_WIDTH) + line,
    );
  });
  return lines.join('\n');
}

const STATE_WIDTH = 'warning  '.length;

/** The program, what it runs on, and how it reaches the network. */
async function checkMachine(runtime: Runtime): Promise<CheckResult[]> {
  const machine = await runtime.machine();
  const given = VARIABLES.filter((name) => runtime.env[name]);
  return Promise.all([
    runCheck('lectern', () => ok(__VERSION__)),
    runCheck('node', () => checkNode(machine)),
    runCheck('platform', () => ok(machine.platform)),
    runCheck('proxy', () => checkProxies(runtime)),
    runCheck('certificates', () => checkCertificates(runtime, machine)),
    runCheck('tls', () => checkTls(runtime)),
    // Their values might be secrets.
    ...given.map((name) =>
      runCheck(name, () => ok('is set in the environment and overrides saved values')),
    ),
  ]);
}

const VARIABLES = [
  'LECTERN_TOKEN',
  'LECTERN_API_KEY',
  'LECTERN_LAUNCH',
  'LECTERN_LEDGER',
  'LECTERN_EMULATOR',
];

/** The versions of Node that the tests run on, as in `engines` of package.json. */
function checkNode({ node }: Machine): Verdict {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const fits = (major === 20 && minor >= 19) || (major === 22 && minor >= 13) || major >= 24;
  return fits ? ok(node) : failed(node, 'use Node 20.19, 22.13, 24 or later');
}

const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];

function checkProxies({ env }: Runtime): Verdict {
  const set = PROXIES.filter((name) => env[name]);
  if (set.length === 0) return ok('none: HTTPS_PROXY and HTTP_PROXY are not set');
  const shown = set.map((name) => `${name}=${withoutPassword(env[name] as string)}`);
  return ok([...shown, `NO_PROXY=${env.NO_PROXY ?? env.no_proxy ?? ''}`].join(', '));
}

/**
 * Everything before the last `@` may belong to the password: an address is often written without
 * its scheme.
 */
function withoutPassword(address: string): string {
  return address.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1…@');
}

async function checkCertificates({ env }: Runtime, machine: Machine): Promise<Verdict> {
  const file = env.NODE_EXTRA_CA_CERTS;
  if (!file) return ok("Node's own; NODE_EXTRA_CA_CERTS is not set");
  const hint = 'NODE_EXTRA_CA_CERTS must name a readable file of PEM certificates';
  const count = await machine.countCertificates(file).catch(() => undefined);
  if (count === undefined) return failed(`${file} cannot be read`, hint);
  if (count === 0) return failed(`${file} contains no certificate`, hint);
  return ok(`Node's own, and ${count} from NODE_EXTRA_CA_CERTS=${file}`);
}

function checkTls({ env }: Runtime): Verdict {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED !== '0') return ok('certificates are verified');
  return failed(
    'NODE_TLS_REJECT_UNAUTHORIZED=0: certificates are not verified, so tokens can be intercepted',
    'unset it, and add the certificates with NODE_EXTRA_CA_CERTS',
  );
}

/**
 * Checks lectern's folders and files: where they are, who can read them, and whether they are
 * intact.
 */
async function checkState(runtime: Context): Promise<CheckResult[]> {
  const machine = await runtime.machine();
  const home = await runtime.home();
  const folders = [...new Set([home.config, home.data])];
  const ofFolders = (name: string, check: (folder: string) => Promise<Verdict>) =>
    Promise.all(folders.map((folder) => runCheck(name, () => check(folder))));
  // Before anything is read, since reading a secret also fixes the mode of its file.
  const secrets = ['launches', 'keys', 'ledgers'].map((name) => join(home.config, name));
  const ofSecrets = await Promise.all(
    secrets.map((folder) => checkSecrets(runtime, machine, folder)),
  );
  return [
    // The files in the home have their own modes.
    ...(await ofFolders('home', (folder) => checkPath(machine, folder, warning))),
    ...ofSecrets.flat(),
    ...(await ofFolders('writing', (folder) => checkWriting(runtime, folder))),
    await runCheck('keychain', () => checkKeychain(machine)),
    await runCheck('settings', async () => {
      (await runtime.settings()).get('currentLaunch');
      return ok(join(home.config, 'settings.json'));
    }),
    ...(await checkProject(runtime)),
    await runCheck('policy', async () => {
      const { value, source } = policyOf(runtime, await findProject(runtime));
      return ok(`${value}: ${source}`);
    }),
    await runCheck('launch in use', () => checkLaunch(runtime)),
    await runCheck('ledger in use', () => checkLedgerInUse(runtime)),
    await runCheck('ledger', () => checkLedger(runtime, home.ledger)),
  ];
}

/** The project file of the current folder, if there is one. */
async function checkProject(runtime: Runtime): Promise<CheckResult[]> {
  const file = runtime.projectFile();
  if (file === undefined) return [];
  const check = await runCheck('project', async () => {
    await findProject(runtime);
    return ok(file);
  });
  return [check];
}

/** A new ledger needs about as much. */
const SOME_BYTES = 128 * 1024;

/** Whether a file can be written in a folder: a disk may be full or read-only, or a quota reached. */
async function checkWriting(runtime: Runtime, folder: string): Promise<Verdict> {
  const disk = await runtime.disk();
  // A check must not create the folder.
  const existing = await nearestExisting(disk, disk.absolute(folder));
  const file = await disk.temporaryFile(existing, { secret: true });
  try {
    await file.write(new Uint8Array(SOME_BYTES));
    await file.seal();
  } finally {
    await file.discard();
  }
  return existing === disk.absolute(folder)
    ? ok(`${folder} is writable`)
    : ok(`${folder}: does not exist yet, and can be created in ${existing}`);
}

/** A folder, or the nearest one above it that exists. */
async function nearestExisting(disk: CommandDisk, folder: string): Promise<string> {
  const above = dirname(folder);
  const isThere = (await disk.pathInfo(folder, { followLinks: true })) !== undefined;
  return isThere || above === folder ? folder : nearestExisting(disk, above);
}

/** A folder of secrets, and the files in it. */
async function checkSecrets(
  runtime: Runtime,
  machine: Machine,
  folder: string,
): Promise<CheckResult[]> {
  const check = (path: string): Promise<CheckResult> =>
    runCheck(basename(folder), () => checkPath(machine, path, failed));
  const own = await check(folder);
  try {
    const files = await (await runtime.disk()).listFolder(folder);
    const each = await Promise.all(files.map((file) => check(join(folder, file))));
    return [own, ...each.filter(({ state }) => state !== 'ok')];
  } catch (error) {
    return [await runCheck(basename(folder), () => Promise.reject(error))];
  }
}

/** Who can read a path; `accessible` is the verdict where other users can. */
async function checkPath(
  machine: Machine,
  path: string,
  accessible: (detail: string, hint: string) => Verdict,
): Promise<Verdict> {
  const owner = await machine.ownership(path);
  if (!owner) return ok(`${path}: does not exist yet`);
  if (owner.isLink) {
    return failed(`${path} is a symbolic link`, 'secrets are not read through symbolic links');
  }
  if (!owner.isOwn) return failed(`${path} belongs to another user`, 'set LECTERN_HOME');
  const { mode } = owner;
  if (mode === undefined) return ok(path);
  const shown = mode.toString(8).padStart(4, '0');
  if ((mode & OTHERS_MODE) === 0) return ok(`${path} (${shown})`);
  return accessible(`${path} is accessible to other users (${shown})`, `chmod go= ${path}`);
}

async function checkKeychain(machine: Machine): Promise<Verdict> {
  const { wanted, fault } = await machine.keychain();
  if (!wanted) {
    return ok('not used, because of LECTERN_HOME or LECTERN_KEYCHAIN; secrets are kept in files');
  }
  if (fault === undefined) return ok('available; tokens and keys are kept in it');
  return warning(fault, 'tokens and keys are kept in files (mode 0600) instead');
}

async function checkLaunch(runtime: Runtime): Promise<Verdict> {
  const current = (await runtime.settings()).get('currentLaunch');
  if (current === undefined) return ok('none');
  const saved = await (await runtime.launches()).find(current);
  if (!saved) return failed(`${current} is not saved`, 'choose another with: lectern launch use');
  const launch = await launchSummary(runtime, saved, true);
  const detail = `${current}: ${launchText(launch)}`;
  if (launch.ended !== null) {
    const seen = timeText(Date.parse(launch.ended));
    return warning(`${detail}; ended: 401 on ${seen}`, 'save a new launch');
  }
  return launch.state === 'stale'
    ? warning(`${detail}; has most likely ended`, 'check it with: lectern launch check')
    : ok(detail);
}

/** Connects to no server. */
async function checkLedgerInUse(context: Context): Promise<Verdict> {
  const project = await findProject(context).catch(() => undefined);
  const place = await ledgerPlace(copyWith(context, { project }));
  if (place === undefined) return ok('the one of this machine');
  return { ...ok(place), hint: 'what it has in doubt: lectern ledger status' };
}

/** Checks an existing ledger; a check must not create one. */
async function checkLedger(runtime: Runtime, file: string): Promise<Verdict> {
  if (!(await (await runtime.disk()).exists(file))) return ok(`${file}: does not exist yet`);
  const ledger = await runtime.ledger();
  const health = await ledger.health();
  const [fault] = health.faults;
  if (fault !== undefined) {
    return failed(`${file} is damaged: ${fault}`, 'move it away; a new one is created');
  }
  if (!health.private) return failed(`${file} is accessible to other users`, `chmod go= ${file}*`);
  const { attempts = 0, inDoubt = 0, runs = 0, images = 0 } = health.counts ?? {};
  const detail = `${countText(attempts, 'attempt')} (${inDoubt} in doubt), ${countText(runs, 'run')}, ${countText(images, 'previous version')} of rows`;
  const hint = inDoubt > 0 ? allDoubtsHint(await ledger.runs()) : undefined;
  return { ...ok(`${file}: intact, ${bytesText(health.bytes)}; ${detail}`), hint: hint ?? null };
}

type Verdict = Omit<CheckResult, 'name'>;

function ok(detail: string): Verdict {
  return { state: 'ok', detail, hint: null };
}

function warning(detail: string, hint: string): Verdict {
  return { state: 'warning', detail, hint };
}

function failed(detail: string, hint: string | null): Verdict {
  return { state: 'wrong', detail, hint };
}

/** Runs a check; an error becomes a failed result. */
async function runCheck(
  name: string,
  check: () => Verdict | Promise<Verdict>,
): Promise<CheckResult> {
  try {
    return { name, ...(await check()) };
  } catch (error) {
    const report = errorReportOf(error);
    return { name, ...failed(report?.message ?? String(error), report?.hint ?? null) };
  }
}
