/** The emulator as a process of its own, for cases that measure, stop, kill and starve it. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { start } from '../cli/emulator/running.ts';
import type { ControlCall } from '../emulator/documents.ts';
import type { LaunchRequest } from '../../src/emulator/index.ts';
import { controlOf, launchOf, type Launch } from '../emulator/subject.ts';
import { hangUp } from '../emulator/wire.ts';
import { startBinary } from '../support/binary.ts';
import { keptPorts } from '../support/free-port.ts';
import { temporaryFolder } from '../support/lectern.ts';
import { atEnd, waitingFor } from './support.ts';

export interface EmulatorProcess {
  readonly url: string;
  readonly data: string;
  readonly control: ControlCall;
  /** Opens the control side. */
  readonly token: string;
  readonly launch: (request?: LaunchRequest) => Promise<Launch>;
  /** What it wrote to standard error. */
  readonly stderr: () => string;
  /** Sends a signal; resolves when it has ended, with its exit code or signal and the ms it took. */
  readonly stop: (signal: NodeJS.Signals) => Promise<{ end: number | NodeJS.Signals; ms: number }>;
}

/** How many blobs are stored that are of no file and no code, such as of incomplete uploads. */
export function looseBlobs({ data }: Pick<EmulatorProcess, 'data'>) {
  const database = new DatabaseSync(join(data, 'emulator.db'), { readOnly: true });
  const sql = `SELECT count(DISTINCT id) AS count FROM blobs
    WHERE id NOT IN (SELECT blob FROM files UNION SELECT blob FROM codes)`;
  const { count } = database.prepare(sql).get() as { count: number };
  database.close();
  return count;
}

/** Starts the built binary on a data folder, a fresh one unless given. */
export async function startProcess(
  options: { readonly data?: string } = {},
): Promise<EmulatorProcess> {
  const home = temporaryFolder();
  const data = options.data ?? join(home, 'data');
  const ports = options.data === undefined ? await keptPorts() : [];
  const started = await start(['--data', data, ...ports], { home }, startBinary);
  // What another process had on this port is gone.
  hangUp();
  const { url } = started.ready;
  const record = readFileSync(join(home, 'emulators', `${new URL(url).port}.json`), 'utf8');
  const { control_token: token } = JSON.parse(record) as { control_token: string };
  const control = controlOf(url, token);
  return {
    url,
    data,
    control,
    token,
    launch: async (request = {}) => launchOf((await control('launch', request)).claims),
    stderr: () => started.output.stderr,
    stop: async (signal) => {
      const begun = performance.now();
      started.kill(signal);
      const ended = await waitingFor(`the end after ${signal}`, started.ended);
      hangUp();
      return { end: ended.signal ?? ended.exit, ms: performance.now() - begun };
    },
  };
}

/** Why no small disk can be made here. */
export function withoutMount(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'mounting needs root';
  try {
    const probe = mountOn(temporaryFolder(), 1);
    probe();
    return undefined;
  } catch {
    return 'a tmpfs cannot be mounted';
  }
}

/** A folder on a separate disk of this many megabytes, for the duration of the case. */
export function smallDisk(megabytesInAll: number): string {
  const folder = temporaryFolder();
  atEnd(mountOn(folder, megabytesInAll));
  return folder;
}

function mountOn(folder: string, size: number): () => void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}m`, 'tmpfs', folder], { stdio: 'pipe' });
  return () => void execFileSync('umount', ['-l', folder]);
}
