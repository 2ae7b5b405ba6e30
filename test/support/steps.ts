import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { type HereOptions, lectern, type RunResult, temporaryFolder } from './lectern.ts';

/** A text that is printed: a part of it, a pattern, or several of these; '' is no text at all. */
type Shown = string | RegExp | readonly (string | RegExp)[];

/** What a command line is given: files are written into its folder first. */
export interface Given extends HereOptions {
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
}

/** What is expected of it; a `RegExp` in a JSON value matches a text. */
export interface Expected {
  /** 0, unless given. */
  readonly exit?: number;
  readonly stdout?: Shown;
  readonly stderr?: Shown;
  /** Is in neither output. */
  readonly lacks?: string | readonly string[];
  /** A part of the JSON on standard output; the lines of JSON Lines are an array. */
  readonly json?: unknown;
  /** A part of the error that `--json` prints. */
  readonly error?: unknown;
}

/** An error as it is printed with `--json`. */
export interface ShownError {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly findings?: readonly {
    readonly code: string;
    readonly line: number | null;
    readonly message: string;
    readonly hint: string;
  }[];
}

/** The words of a command line as a shell splits them. */
function wordsOf(line: string): string[] {
  return (line.match(/(?:'[^']*'|\S)+/g) ?? []).map((word) => word.replaceAll("'", ''));
}

/** Runs a command line as it is typed, and checks how it ends and what it prints. */
export async function step(line: string, options: Given & Expected = {}): Promise<RunResult> {
  const { files = {}, exit = 0, stdout, stderr, lacks = [], json, error, ...given } = options;
  for (const [name, content] of Object.entries(files)) {
    const path = join(given.cwd ?? '', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  const result = await lectern(wordsOf(line), given);
  const of = `lectern ${line}\n${result.stdout.slice(0, 2000)}\n${result.stderr.slice(0, 2000)}`;
  expect(result.exit, of).toBe(exit);
  shows(result.stdout, stdout, of);
  shows(result.stderr, stderr, of);
  for (const text of [lacks].flat()) expect(result.stdout + result.stderr, of).not.toContain(text);
  if (json !== undefined) expect([jsonOf(result)], of).toMatchObject([patterns(json)]);
  if (error !== undefined) expect(errorsOf(result), of).toMatchObject(patterns(error) as object);
  return result;
}

/** A home and a folder, and steps in them. */
export function stepsAt(more: Given = {}) {
  const [home, folder] = [temporaryFolder(), temporaryFolder()];
  return {
    home,
    folder,
    step: (line: string, options: Given & Expected = {}) => {
      const env = { ...more.env, ...options.env };
      return step(line, { home, cwd: folder, ...more, ...options, env });
    },
  };
}

function shows(text: string, expected: Shown | undefined, of: string): void {
  if (expected === '') expect(text, of).toBe('');
  for (const part of [expected ?? []].flat()) {
    if (typeof part === 'string') expect(text, of).toContain(part);
    else expect(text, of).toMatch(part);
  }
}

/** The JSON on standard output: one document, or one on each line. */
export function jsonOf({ stdout }: Pick<RunResult, 'stdout'>) {
  try {
    return JSON.parse(stdout);
  } catch {
    const lines = stdout.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line));
  }
}

/** The error that a command with `--json` ends with. */
export function errorsOf({ stderr }: Pick<RunResult, 'stderr'>): ShownError {
  return (JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '') as { error: ShownError }).error;
}

/** The expected value, whose patterns match texts. */
export function patterns(value: unknown): unknown {
  if (value instanceof RegExp) return expect.stringMatching(value);
  if (Array.isArray(value)) return value.map(patterns);
  if (typeof value !== 'object' || value === null || 'asymmetricMatch' in value) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, patterns(each)]));
}
