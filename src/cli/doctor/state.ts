import type { CheckResult } from '../json-forms/others.ts';
import { basename, dirname, join } from 'node:path';
import { launchText } from '../output/launch.ts';
import { summariseLaunch } from '../launch/summary.ts';
import { bytesText, countText, timeText } from '../output/units.ts';
import type { CommandDisk, Machine, Runtime } from '../runtime.ts';
import { errorReportOf } from '../error-report.ts';

/**
 * Checks lectern's folders and files: where they are, who can read them, and whether they are
 * intact.
 */
export async function checkState(runtime: Runtime): Promise<CheckResult[]> {
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
const OTHERS = 0o077;

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
    if ((mode & OTHERS) === 0) return ok(name, `${path} (${shown})`);
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

export function ok(name: string, detail: string): CheckResult {
  return { name, state: 'ok', detail, hint: null };
}

function warning(name: string, detail: string, hint: string): CheckResult {
  return { name, state: 'warning', detail, hint };
}

export function failed(name: string, detail: string, hint: string | null): CheckResult {
  return { name, state: 'wrong', detail, hint };
}

/** Runs a check; an error becomes a failed result. */
export async function runCheck(
  name: string,
  look: () => Promise<CheckResult>,
): Promise<CheckResult> {
  try {
    return await look();
  } catch (error) {
    const report = errorReportOf(error);
    return failed(name, report?.message ?? String(error), report?.hint ?? null);
  }
}
