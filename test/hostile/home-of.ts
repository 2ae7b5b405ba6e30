import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { binary } from '../support/binary.ts';
import { temporaryFolder } from '../support/lectern.ts';
import type { Course } from './course-service.ts';

export const API_KEY = 'api-key-canary-7';

/**
 * A home in which everything that is kept is there once; the launch `a` is in use. Processes of their own
 * make it: in this one, two files of a closed ledger would stay until garbage is collected.
 */
export async function homeOf(course: Course): Promise<string> {
  const home = join(temporaryFolder(), 'home');
  const run = async (args: readonly string[], input = ''): Promise<void> => {
    const { exit, stderr } = await binary(args, { home, input });
    expect([args, exit, stderr]).toEqual([args, 0, expect.any(String)]);
  };
  const folder = join(temporaryFolder(), 'synced');
  mkdirSync(folder);
  writeFileSync(join(folder, 'new.txt'), 'text');
  await run(['launch', 'save', 'a', course.launch]);
  await run(['launch', 'use', 'a']);
  await run(['key', 'save', 'k', '--origin', course.origin], API_KEY);
  await run(['storage', 'patch', 'member', '--add', '/x=1']);
  await run(['files', 'sync', folder, 'member', '-q']);
  await run(['grade', 'submit', '--score', '1', '-q']);
  keepRecord(home);
  return home;
}

/** The record of an emulator that has ended. */
function keepRecord(home: string): void {
  const origin = 'http://127.0.0.1:';
  const record = {
    url: `${origin}1`,
    blob_url: `${origin}2`,
    control_token: 't',
    pid: 1,
    data: null,
    started: '2026-11-01T10:00:00.000Z',
  };
  mkdirSync(join(home, 'emulators'), { mode: 0o700 });
  writeFileSync(join(home, 'emulators', '1.json'), JSON.stringify(record), { mode: 0o600 });
}
