import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { type HereOptions, lectern, type RunResult, temporaryFolder } from './lectern.ts';
import type { Size } from './screen.ts';
import { terminal } from './terminal.ts';

/** A text that is printed: a part of it, a pattern, or several of these; '' is no text at all. */
type Shown = string | RegExp | readonly (string | RegExp)[];

/** What a command line is given: files are written into its folder first. */
export interface Given extends HereOptions {
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Runs the words, in place of `lectern` in this process. */
  readonly runs?: (args: readonly string[], options: HereOptions) => Promise<RunResult>;
}

/** What is expected of it; a `RegExp` in a JSON value matches a text. */
export interface Expected {
  /** 0, unless given. */
  readonly exit?: number;
  readonly stdout?: Shown;
  readonly stderr?: Shown;
  /** Is in the one output or the other. */
  readonly shows?: Shown;
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
export function wordsOf(line: string): string[] {
  return (line.match(/(?:'[^']*'|\S)+/g) ?? []).map((word) => word.replaceAll("'", ''));
}

/** The lines of a text, of which an empty one is left out; a quoted line break ends none. */
export function linesIn(text: string): string[] {
  const lines = text.match(/(?:'[^']*'|[^\n])+/g) ?? [];
  return lines.map((line) => line.trim()).filter((line) => line !== '');
}

/** Variables before a line, its standard input, and what it says of itself at its end. */
const LINE =
  /^(?<env>(?:[A-Z_]+=(?:'[^']*'|\S*) )*)(?<words>.*?)(?: < (?<input>.*?))?(?: +# (?:exit (?<exit>\d+)(?:: |$))?(?<shows>.*))?$/s;

/**
 * Runs command lines as they are typed, one after the other, and checks what comes of them. A line may
 * have variables, standard input, and how it ends with what it shows, one text `…` another
 * (`\n` in the input is a line break): `LECTERN_TOKEN=x validate row < [] # exit 3: an array … [body.`. Everything that is given
 * is given to each line; what is expected is expected of the last one, whose result is returned.
 */
export async function step(text: string, options: Given & Expected = {}): Promise<RunResult> {
  const { files = {}, exit, stdout, stderr, shows, lacks, json, error, ...given } = options;
  writeFiles(files, given.cwd);
  const lines = linesIn(text);
  const last = lines.pop() ?? '';
  for (const line of lines) await one(line, given, {});
  const expected = { exit, stdout, stderr, shows, lacks, json, error };
  return one(last, given, expected);
}

function writeFiles(files: NonNullable<Given['files']>, cwd: string | undefined): void {
  for (const [name, content] of Object.entries(files)) {
    if (cwd === undefined) throw new Error(`${name} needs a folder: use stepsAt`);
    const path = join(cwd, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

type All<Type> = { readonly [Name in keyof Type]?: Type[Name] | undefined };

async function one(
  line: string,
  { runs = lectern, ...given }: Given,
  { exit, stdout, stderr, shows, lacks = [], json, error }: All<Expected>,
): Promise<RunResult> {
  const said = LINE.exec(line)?.groups ?? {};
  const variables = wordsOf(said.env ?? '').map(
    (word) => /^(\w+)=(.*)$/s.exec(word)?.slice(1) ?? [],
  );
  const env = { ...given.env, ...Object.fromEntries(variables) };
  const input = said.input?.replaceAll('\\n', '\n') ?? given.input ?? '';
  const result = await runs(wordsOf(said.words ?? ''), { ...given, env, input });
  const both = result.stdout + result.stderr;
  const of = `lectern ${line}\n${result.stdout.slice(0, 2000)}\n${result.stderr.slice(0, 2000)}`;
  expect(result.exit, of).toBe(exit ?? Number(said.exit ?? 0));
  contains(result.stdout, stdout, of);
  contains(result.stderr, stderr, of);
  contains(both, [said.shows?.split(' … ') ?? [], shows ?? []].flat(), of);
  for (const text of [lacks].flat()) expect(both, of).not.toContain(text);
  if (json !== undefined) expect([jsonOf(result)], of).toMatchObject([patterns(json)]);
  if (error !== undefined) expect(errorsOf(result), of).toMatchObject(patterns(error) as object);
  return result;
}

/** What a command line is given and expected to show at a terminal. */
interface AtTerminal extends Given, Partial<Size>, Pick<Expected, 'exit' | 'shows' | 'lacks'> {
  /** The keys that are pressed when a text is shown, in this order; those of a list one by one. */
  readonly keys?: Readonly<Record<string, string | readonly string[]>>;
}

/** Runs a command line at a terminal to its end, and checks what it shows. */
export async function atTerminal(line: string, options: AtTerminal = {}) {
  const { files = {}, keys = {}, exit = 0, shows, lacks = [], ...given } = options;
  writeFiles(files, given.cwd);
  const shown = terminal(wordsOf(line), given);
  for (const [text, pressed] of Object.entries(keys)) {
    await shown.shows(text);
    for (const key of [pressed].flat()) shown.type(key);
  }
  const ended = await shown.exit;
  const screen = shown.screen();
  expect(ended, screen).toBe(exit);
  contains(screen, shows, line);
  for (const text of [lacks].flat()) expect(screen).not.toContain(text);
  return { screen, bytes: shown.bytes(), lines: screen.split('\n') };
}

/** A home and a folder, and steps in them, also at a terminal; `options` are what each is given. */
export function stepsAt(more: Given = {}) {
  const [home, folder] = [temporaryFolder(), temporaryFolder()];
  const given = <Options extends Given>(options: Options): Options => {
    const env = { ...more.env, ...options.env };
    return { home, cwd: folder, ...more, ...options, env };
  };
  return {
    home,
    folder,
    options: given<Given>({}),
    /** Writes a file into the folder; its path. */
    file: (name: string, content: string | Uint8Array): string => {
      writeFiles({ [name]: content }, given<Given>({}).cwd);
      return join(given<Given>({}).cwd ?? '', name);
    },
    step: (line: string, options: Given & Expected = {}) => step(line, given(options)),
    atTerminal: (line: string, options: AtTerminal = {}) => atTerminal(line, given(options)),
  };
}

function contains(text: string, expected: Shown | undefined, of: string): void {
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
