import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readPlainFile } from '../../disk/plain-file.ts';
import type { LaunchRef, TokenStatus } from '../stores.ts';
import { makePrivateFolder, writeWhole } from './disk.ts';
import { isReplacement, removeStaleFiles } from '../../disk/stale-files.ts';

/**
 * One small file for each saved launch. It has no secret and may be lost: it is not flushed to
 * disk, and errors are ignored.
 */
export function createTokenStatusStore(home: string) {
  const folder = join(home, 'seen');
  const fileOf = (name: string): string => join(folder, `${name}.json`);
  const noted = new Map<string, { launch: LaunchRef; status: TokenStatus }>();
  const of = async (launch: LaunchRef): Promise<TokenStatus> => {
    const before = await readStatus(fileOf(launch.name), launch);
    const entry = noted.get(launch.name);
    return entry === undefined ? before : later(before, entry.status);
  };
  const flush = async (): Promise<void> => {
    for (const { launch, status } of noted.values()) {
      const before = await readStatus(fileOf(launch.name), launch);
      const text = JSON.stringify({ saved: launch.saved, ...later(before, status) });
      await replaceFile(folder, fileOf(launch.name), text).catch(() => {});
    }
  };
  return {
    store: {
      of,
      /** Stored once at the end of the command, however often it is called. */
      note: (launch: LaunchRef, seen: TokenStatus): void => {
        const before = seen.ended === undefined ? {} : noted.get(launch.name)?.status;
        noted.set(launch.name, { launch, status: { ...before, ...seen } });
      },
      forget: async (name: string): Promise<void> => {
        noted.delete(name);
        // If the file stays, it does not match a launch that is saved later under this name.
        await rm(fileOf(name), { force: true }).catch(() => {});
      },
    },
    flush,
  };
}

/** A status with what was seen later: a success since then means that the token has not ended. */
function later(before: TokenStatus, seen: TokenStatus): TokenStatus {
  const { success } = before;
  return { ...(success !== undefined && { success }), ...seen };
}

const MAX_BYTES = 64 * 1024;

/** The state of an earlier launch with the same name belongs to another token. */
async function readStatus(path: string, launch: LaunchRef): Promise<TokenStatus> {
  try {
    const { saved, success, ended } = JSON.parse(readPlainFile(path, MAX_BYTES).toString());
    if (saved !== launch.saved) return {};
    return {
      ...(typeof success === 'string' ? { success } : {}),
      ...(typeof ended === 'string' ? { ended } : {}),
    };
  } catch {
    return {};
  }
}

async function replaceFile(folder: string, path: string, text: string): Promise<void> {
  await makePrivateFolder(folder);
  await removeStaleFiles(folder, isReplacement);
  await writeWhole(path, text, { secret: true, isExpendable: true });
}
