import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { binary } from '../support/binary.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import type { Course } from './course-service.ts';

export const API_KEY = 'api-key-canary-7';

/**
 * A home in which everything that is kept is there once; the launch `a` is in use. In this process two
 * files of a closed ledger stay until garbage is collected: a process of its own ends with a copy.
 */
export async function homeOf(course: Course): Promise<string> {
  const first = join(temporaryFolder(), 'home');
  const home = join(temporaryFolder(), 'home');
  const run = async (args: readonly string[], input = ''): Promise<void> => {
    const { exit, stderr } = await lectern(args, { home: first, input });
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
  cpSync(first, home, { recursive: true });
  expect((await binary(['grade', 'submit', '--score', '1', '-q'], { home })).exit).toBe(0);
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
