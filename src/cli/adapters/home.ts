import { statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { StateError, UsageError } from '../../errors.ts';
import { QUOTED, UNQUOTE } from '../arguments/secrets.ts';
import type { Host } from './host.ts';

export type Home = ReturnType<typeof homeIn>;

/**
 * `LECTERN_HOME` holds all state; by default, the platform's usual folders. Throws `StateError` if
 * these are unknown: secrets are not stored in an accidental place.
 */
export async function findHome({ env, folder = '.' }: Pick<Host, 'env' | 'folder'>) {
  if (env.LECTERN_HOME) {
    mustBePath(env.LECTERN_HOME);
    // Absolute, since the path of a saved key is its name in the keychain.
    const own = resolve(folder, env.LECTERN_HOME);
    return homeIn(own, own);
  }
  const { config, data } = await platformFolders();
  // With an empty or relative HOME it would be the current folder, which others may read or
  // publish.
  if (isAbsolute(config) && isAbsolute(data)) return homeIn(config, data);
  throw unknownHome('HOME, XDG_CONFIG_HOME or XDG_DATA_HOME is set to a path that is not absolute');
}

/** What a file of variables leaves in a path: the home would be below the current folder. */
const NOT_OF_PATH: readonly [pattern: RegExp, fault: string, hint: string][] = [
  [QUOTED, 'has quotes around it', UNQUOTE],
  [/^\s|\s$/, 'has spaces or line breaks around it', 'leave them out'],
  [/^~/, 'begins with ~', 'give the whole path: only a shell replaces ~'],
];

function mustBePath(home: string): void {
  const [, fault, hint] = NOT_OF_PATH.find(([pattern]) => pattern.test(home)) ?? [];
  if (fault !== undefined) throw new UsageError(`the value of LECTERN_HOME ${fault}`, hint);
}

async function platformFolders(): Promise<{ config: string; data: string }> {
  try {
    const { default: envPaths } = await import('env-paths');
    return envPaths('lectern', { suffix: '' });
  } catch (error) {
    throw unknownHome('HOME is not set, and the system has no home folder for this user', error);
  }
}

function unknownHome(why: string, cause?: unknown): StateError {
  const hint = 'set LECTERN_HOME to a folder of your own';
  return new StateError(`cannot determine the folder of lectern: ${why}`, hint, { cause });
}

/** The folders of settings and secrets, and of the ledger; the same one with LECTERN_HOME. */
function homeIn(config: string, data: string) {
  for (const folder of new Set([config, data])) mustBeFolder(folder);
  return { config, data, ledger: join(data, 'ledger.sqlite') };
}

/**
 * Reported here, once: a file in place of the home would otherwise appear as an error of each
 * file in it.
 */
function mustBeFolder(path: string): void {
  const hint = 'set LECTERN_HOME to a folder of your own, or move that file away';
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== false) return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTDIR') return;
    throw new StateError(`${path} cannot be a folder: a part of its path is a file`, hint);
  }
  throw new StateError(`${path} is where lectern keeps its state, and is not a folder`, hint);
}
