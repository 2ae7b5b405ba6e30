import { OTHERS_MODE } from '../../disk/private-file.ts';
import { EXIT } from '../exit-codes.ts';
import { ExitError } from '../errors.ts';
import type { Context, Machine, Runtime, CommandDisk } from '../runtime.ts';
import { printJson, printTable } from '../ui.ts';
import type { CheckResult } from '../json-forms/others.ts';
import { type Colors, paint, toneOf } from '../output/paint.ts';
import { escapeText } from '../output/escape.ts';
import { type Table, listTable } from '../output/table.ts';
import { wrapLines } from '../output/wrap.ts';
import { basename, dirname, join } from 'node:path';
import { launchText } from '../output/launch.ts';
import { summariseLaunch } from '../launch/summary.ts';
import { bytesText, countText, timeText } from '../output/units.ts';
import { errorReportOf } from '../error-report.ts';

export async function runDoctor(context: Context): Promise<void> {
  const checkups = [...(await checkMachine(context)), ...(await checkState(context))];
  const failures = checkups.filter(({ state }) => state === 'wrong');
  const { stdout } = context;
  if (context.options.json)
    await printJson<'doctor'>(context, { ok: failures.length === 0, checkups });
  else if (stdout.isTerminal)
    await stdout.write(`${doctorText(checkups, stdout.columns, stdout.colors)}\n`);
  else await printTable(context, doctorTable(checkups));
  if (failures.length === 0) return;
  const names = failures.map(({ name }) => name).join(', ');
  throw new ExitError(EXIT.unexpected, 'doctor', `failed checks: ${names}`);
}

/** All checks, one per table row. */
function doctorTable(checkups: readonly CheckResult[]): Table {
  return listTable(checkups, [
    { name: 'check', cell: ({ name }) => name },
    { name: 'state', cell: ({ state }) => state },
    {
      name: 'detail',
      cell: ({ detail, hint }) => (hint === null ? detail : `${detail}; ${hint}`),
    },
  ]);
}

/** The same for a terminal, where paths and hints are not cut to the width of a column. */
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
  return [
    ok('lectern', __VERSION__),
    checkNode(machine),
    ok('platform', machine.platform),
    checkProxies(runtime),
    await checkCertificates(runtime, machine),
    checkTls(runtime),
    ...checkSecretsOfEnvironment(runtime),
  ];
}

/** The versions of Node that the tests run on, as in `engines` of package.json. */
function checkNode({ node }: Machine): CheckResult {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const fits = (major === 20 && minor >= 19) || (major === 22 && minor >= 13) || major >= 24;
  return fits ? ok('node', node) : failed('node', node, 'use Node 20.19, 22.13, 24 or later');
}

const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];

function checkProxies({ env }: Runtime): CheckResult {
  const set = PROXIES.filter((name) => env[name]);
  if (set.length === 0) return ok('proxy', 'none: HTTPS_PROXY and HTTP_PROXY are not set');
  const shown = set.map((name) => `${name}=${withoutPassword(env[name] as string)}`);
  return ok('proxy', [...shown, `NO_PROXY=${env.NO_PROXY ?? env.no_proxy ?? ''}`].join(', '));
}

/**
 * Everything before the last `@` may belong to the password: an address is often written without
 * its scheme.
 */
function withoutPassword(address: string): string {
  return address.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1…@');
}

function checkCertificates({ env }: Runtime, machine: Machine): Promise<CheckResult> {
  const name = 'certificates';
  const file = env.NODE_EXTRA_CA_CERTS;
  return runCheck(name, async () => {
    if (!file) return ok(name, "Node's own; NODE_EXTRA_CA_CERTS is not set");
    const hint = 'NODE_EXTRA_CA_CERTS must name a readable file of PEM certificates';
    const count = await machine.countCertificates(file).catch(() => undefined);
    if (count === undefined) return failed(name, `${file} cannot be read`, hint);
    if (count === 0) return failed(name, `${file} contains no certificate`, hint);
    return ok(name, `Node's own, and ${count} from NODE_EXTRA_CA_CERTS=${file}`);
  });
}

function checkTls({ env }: Runtime): CheckResult {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED !== '0') return ok('tls', 'certificates are verified');
  return failed(
    'tls',
    'NODE_TLS_REJECT_UNAUTHORIZED=0: certificates are not verified, so tokens can be intercepted',
    'unset it, and add the certificates with NODE_EXTRA_CA_CERTS',
  );
}

/** Only that they are set: a value might be a secret. */
function checkSecretsOfEnvironment({ env }: Runtime): CheckResult[] {
  return ['LECTERN_TOKEN', 'LECTERN_API_KEY', 'LECTERN_LAUNCH', 'LECTERN_EMULATOR']
    .filter((name) => env[name])
    .map((name) => ok(name, 'is set in the environment and overrides saved values'));
}

/**
 * Checks lectern's folders and files: where they are, who can read them, and whether they are
 * intact.
 */
async function checkState(runtime: Runtime): Promise<CheckResult[]> {
  const machine = await runtime.machine();
  const home = await runtime.home();
  const folders = [...new Set([home.config, home.data])];
  // Before anything is read, since reading a secret also fixes the mode of its file.
  const secrets = ['launches', 'keys', 'ledgers'].map((name) => join(home.config, name));
  const kept = await Promise.all([
    ...folders.map((folder) => checkPath(machine, HOME, folder)),
    ...secrets.map((folder) => checkSecrets(runtime, machine, folder)),
  ]);
  return [
    ...kept.flat(),
    ...(await Promise.all(folders.map((folder) => checkRoom(machine, folder)))),
    ...(await Promise.all(folders.map((folder) => checkWriting(runtime, folder)))),
    await checkKeychain(machine),
    await runCheck('settings', async () => {
      (await runtime.settings()).get('currentLaunch');
      return ok('settings', join(home.config, 'settings.json'));
    }),
    ...(await checkProject(runtime)),
    await checkLaunch(runtime),
    await checkLedger(runtime, home.ledger),
  ];
}

/** The project file of the current folder, if there is one. */
async function checkProject(runtime: Runtime): Promise<CheckResult[]> {
  const file = runtime.projectFile();
  if (file === undefined) return [];
  const check = await runCheck('project', async () => {
    const { readProject } = await import('../project.ts');
    await readProject(runtime, file);
    return ok('project', file);
  });
  return [check];
}

const SOME_BYTES = 64 * 1024;

/** Whether a file can be written in a folder: a disk may be read-only, or a quota reached. */
function checkWriting(runtime: Runtime, folder: string): Promise<CheckResult> {
  const name = 'writing';
  return runCheck(name, async () => {
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
      ? ok(name, `${folder} is writable`)
      : ok(name, `${folder}: does not exist yet, and can be created in ${existing}`);
  });
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
  const name = basename(folder);
  const own = await checkPath(machine, name, folder);
  try {
    const files = await (await runtime.disk()).listFolder(folder);
    const each = await Promise.all(
      files.map((file) => checkPath(machine, name, join(folder, file))),
    );
    return [own, ...each.filter(({ state }) => state !== 'ok')];
  } catch (error) {
    return [await runCheck(name, () => Promise.reject(error))];
  }
}

const HOME = 'home';

function checkPath(machine: Machine, name: string, path: string): Promise<CheckResult> {
  return runCheck(name, async () => {
    const owner = await machine.ownership(path);
    if (!owner) return ok(name, `${path}: does not exist yet`);
    if (owner.isLink)
      return failed(
        name,
        `${path} is a symbolic link`,
        'secrets are not read through symbolic links',
      );
    if (!owner.isOwn) return failed(name, `${path} belongs to another user`, 'set LECTERN_HOME');
    const { mode } = owner;
    if (mode === undefined) return ok(name, path);
    const shown = mode.toString(8).padStart(4, '0');
    if ((mode & OTHERS_MODE) === 0) return ok(name, `${path} (${shown})`);
    // The files in the home have their own modes.
    const say = name === HOME ? warning : failed;
    return say(name, `${path} is accessible to other users (${shown})`, `chmod go= ${path}`);
  });
}

/** The smallest ledger needs more than this. */
const LEAST_ROOM_BYTES = 128 * 1024;

function checkRoom(machine: Machine, folder: string): Promise<CheckResult> {
  const name = 'disk';
  return runCheck(name, async () => {
    const free = await machine.freeSpace(folder);
    if (free === undefined) return ok(name, `${folder}: free space unknown`);
    const detail = `${bytesText(free)} free for ${folder}`;
    if (free >= LEAST_ROOM_BYTES) return ok(name, detail);
    return failed(
      name,
      `the disk is full: ${detail}`,
      'free some space: lectern cannot save anything',
    );
  });
}

async function checkKeychain(machine: Machine): Promise<CheckResult> {
  const { wanted, fault } = await machine.keychain();
  if (!wanted) {
    return ok(
      'keychain',
      'not used, because of LECTERN_HOME or LECTERN_KEYCHAIN; secrets are kept in files',
    );
  }
  if (fault === undefined) return ok('keychain', 'available; tokens and keys are kept in it');
  return warning('keychain', fault, 'tokens and keys are kept in files (mode 0600) instead');
}

function checkLaunch(runtime: Runtime): Promise<CheckResult> {
  const name = 'launch in use';
  return runCheck(name, async () => {
    const current = (await runtime.settings()).get('currentLaunch');
    if (current === undefined) return ok(name, 'none');
    const saved = await (await runtime.launches()).find(current);
    if (!saved)
      return failed(name, `${current} is not saved`, 'choose another with: lectern launch use');
    const launch = await summariseLaunch(runtime, saved);
    const detail = `${current}: ${launchText(launch)}`;
    if (launch.ended !== null) {
      const seen = timeText(Date.parse(launch.ended));
      return warning(name, `${detail}; ended: 401 on ${seen}`, 'save a new launch');
    }
    return launch.state === 'stale'
      ? warning(name, `${detail}; has most likely ended`, 'check it with: lectern launch check')
      : ok(name, detail);
  });
}

/** Checks an existing ledger; a check must not create one. */
function checkLedger(runtime: Runtime, file: string): Promise<CheckResult> {
  const name = 'ledger';
  return runCheck(name, async () => {
    if (!(await (await runtime.disk()).exists(file)))
      return ok(name, `${file}: does not exist yet`);
    const health = await (await runtime.ledger()).health();
    const [fault] = health.faults;
    if (fault !== undefined) {
      return failed(name, `${file} is damaged: ${fault}`, 'move it away; a new one is created');
    }
    if (!health.private)
      return failed(name, `${file} is accessible to other users`, `chmod go= ${file}*`);
    const { attempts = 0, inDoubt = 0, runs = 0, images = 0 } = health.counts ?? {};
    const detail = `${countText(attempts, 'attempt')} (${inDoubt} in doubt), ${countText(runs, 'run')}, ${countText(images, 'previous version')} of rows`;
    return ok(name, `${file}: intact, ${bytesText(health.bytes)}; ${detail}`);
  });
}

function ok(name: string, detail: string): CheckResult {
  return { name, state: 'ok', detail, hint: null };
}

function warning(name: string, detail: string, hint: string): CheckResult {
  return { name, state: 'warning', detail, hint };
}

function failed(name: string, detail: string, hint: string | null): CheckResult {
  return { name, state: 'wrong', detail, hint };
}

/** Runs a check; an error becomes a failed result. */
async function runCheck(name: string, look: () => Promise<CheckResult>): Promise<CheckResult> {
  try {
    return await look();
  } catch (error) {
    const report = errorReportOf(error);
    return failed(name, report?.message ?? String(error), report?.hint ?? null);
  }
}
