import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { binary, type BinaryOptions } from '../support/binary.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import type { Course } from './course-service.ts';
import { judged } from './judged.ts';
import { sampled } from './support.ts';

export const API_KEY = 'api-key-canary-7';

/**
 * A home with a launch `a`, which is in use, a key `k`, a before-image and an attempt. In this process two
 * files of a closed ledger stay until garbage is collected: a process of its own ends with a copy.
 */
export async function homeOf(course: Course): Promise<string> {
  const first = join(temporaryFolder(), 'home');
  const home = join(temporaryFolder(), 'home');
  const run = async (args: readonly string[], input = ''): Promise<void> => {
    const { exit, stderr } = await lectern(args, { home: first, input });
    expect([args, exit, stderr]).toEqual([args, 0, expect.any(String)]);
  };
  await run(['launch', 'save', 'a', course.launch]);
  await run(['launch', 'use', 'a']);
  await run(['key', 'save', 'k', '--origin', course.origin], API_KEY);
  await run(['storage', 'patch', 'member', '--add', '/x=1']);
  cpSync(first, home, { recursive: true });
  expect((await binary(['grade', 'submit', '--score', '1', '-q'], { home })).exit).toBe(0);
  return home;
}

/** Fills what is left of a small disk, and returns what empties it again. */
export function fill(folder: string): () => void {
  const file = join(folder, 'filler');
  try {
    for (;;) writeFileSync(file, Buffer.alloc(4096), { flag: 'a' });
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
  }
  return () => rmSync(file);
}

/** Everything below a folder, with its bytes. */
export function treeOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    names.map((name) => {
      const path = join(folder, name);
      return [name, statSync(path).isFile() ? readFileSync(path, 'latin1') : ''];
    }),
  );
}

/** Commands that write to the home or to a folder, with their input. */
const writing = (course: Course, folder: string): readonly [string[], string?][] => [
  [['launch', 'save', 'a', course.launch, '--force']],
  [['launch', 'save', 'b', course.launch]],
  [['storage', 'put', 'member', '--yes'], '{"lost":true}'],
  [['storage', 'edit', 'member']],
  [['key', 'save', 'b', '--origin', course.origin], 'another-key-of-a-tool'],
  [['key', 'save', 'k', '--origin', course.origin, '--force'], 'another-key-of-a-tool'],
  [['grade', 'submit', '--score', '1']],
  [['storage', 'patch', 'member', '--add', '/lost=true']],
  [['emulator', 'start']],
  [['grade', 'submit', '--from', '-', '--yes'], 'member,score\nm-1,1\n'],
  [['files', 'download', 'member', 'old.bin', '--to', folder]],
  [['files', 'sync', 'member', folder]],
  [['emulator', 'start', '--memory']],
];

interface Refusing extends BinaryOptions {
  readonly folder: string;
  readonly why: RegExp;
  /** Where the sample begins. */
  readonly from?: number;
  /** Called before each command. */
  readonly prepare?: () => void;
}

/**
 * Runs each command; none may write on the service, none may end with 0, and each says why. Where a
 * wrapper needs processes of their own, the short form has a few of them.
 */
export async function refuseAll(course: Course, options: Refusing): Promise<void> {
  const writes = (): number => course.requests.filter(({ method }) => method !== 'GET').length;
  const before = writes();
  const run = options.wrapper ? binary : lectern;
  const commands = writing(course, options.folder);
  for (const [args, input = ''] of options.wrapper
    ? sampled(commands, 4, options.from)
    : commands) {
    options.prepare?.();
    const result = await run(args, {
      ...options,
      input,
      env: { EDITOR: 'true', TMPDIR: options.folder, ...options.env },
    });
    const what = args.join(' ');
    // 2: what the user named cannot be read; 9: a part of several files.
    judged(result, what, [1, 2, 9]);
    expect(result.stderr, what).toMatch(options.why);
    expect([what, writes() - before]).toEqual([what, 0]);
  }
}
