import { type Finding, isError } from '../../validator/finding.ts';
import { readCheckedRow } from '../../validator/row.ts';
import { UsageError } from '../../errors.ts';
import { InterruptedError, InvalidError } from '../../errors.ts';
import { ExitError } from '../errors.ts';
import type { CommandLine, Runtime } from '../runtime.ts';
import { canPrompt } from '../ui.ts';
import type { RowTarget } from '../session/row.ts';
import { annotateDraft, type EditedDraft, readDraft } from './draft.ts';
import type { Row } from '../../rows/row.ts';

/** Ends the loop for an editor that is a script. */
const MAX_ROUNDS = 100;

/**
 * Opens the editor on the draft until it holds what the service would take, with what is wrong on
 * top of it each time. Returns undefined where it was left as it was. Throws InvalidError when it
 * comes back wrong and untouched, InterruptedError when it comes back empty or the editor gave up,
 * UsageError where there is no such editor.
 */
export async function editUntilValid(
  runtime: Runtime,
  { kind, label }: RowTarget,
  draft: EditedDraft,
): Promise<Row | undefined> {
  const disk = await runtime.disk();
  let last = '';
  for (let round = 1; ; round++) {
    await openEditor(runtime, draft.path);
    const bytes = await readDraft(disk, draft);
    const text = new TextDecoder().decode(bytes);
    if (text === draft.original) return undefined;
    if (text.trim() === '') throw new InterruptedError('the file is empty; nothing was sent');
    const { findings, row } = readCheckedRow(bytes, { kind });
    const wrong = findings.filter(isError);
    if (wrong.length === 0) return row;
    if (text === last || round === MAX_ROUNDS) {
      throw new InvalidError(`the edited text is not a valid ${label} row`, { findings: wrong });
    }
    last = text;
    await annotateDraft(disk, draft, bytes, notesOn(wrong));
  }
}

/** As shells answer for a program that may not be run, or is not there. */
const NOT_STARTED = [126, 127];

/** An editor that ends with anything but 0 has been told to give up. */
async function openEditor(runtime: Runtime, path: string): Promise<void> {
  const { env, platform, processes } = runtime;
  const usual = platform === 'win32' ? 'notepad' : 'vi';
  const editor = env.VISUAL || env.EDITOR || (canPrompt(runtime) ? usual : undefined);
  if (!editor) throw new UsageError('no editor is set', 'set VISUAL or EDITOR');
  // The variable may hold arguments ("code --wait"), as every tool that reads it allows.
  // Ctrl-C is for the editor: the shell that waits for it must not end by it.
  const command: CommandLine =
    platform === 'win32'
      ? [...editorWords(editor), path]
      : ['/bin/sh', '-c', `trap : INT; ${editor} "$1"`, 'sh', path];
  const exit = await exitOf((await processes()).attach(command, { env: {} }));
  if (NOT_STARTED.includes(exit)) {
    throw new UsageError(
      `${editor} could not be started; nothing was sent`,
      'set VISUAL or EDITOR to an installed editor',
    );
  }
  if (exit !== 0) throw new InterruptedError(`${editor} exited with ${exit}; nothing was sent`);
}

/** Windows has no shell that splits it: words at spaces, which double quotes keep together. */
function editorWords(editor: string): [string, ...string[]] {
  const words = editor.match(/"[^"]*"|[^\s"]+/g) ?? [];
  const [program = editor, ...args] = words.map((word) => word.replaceAll('"', ''));
  return [program, ...args];
}

/** A program that is not there ends as a shell ends for it. */
async function exitOf(ended: Promise<number>): Promise<number> {
  try {
    return await ended;
  } catch (error) {
    if (error instanceof ExitError && error.code === 'exec.not_started') return error.exit;
    throw error;
  }
}

/** What is wrong, with the lines where it is under these very notes. */
function notesOn(wrong: readonly Finding[]): string[] {
  const told = wrong.slice(0, 10);
  const above = told.length + 1;
  return [
    'Not sent: the text below is not valid. Lines at the top that start with // are ignored.',
    ...told.map((finding) => noteOn(finding, above)),
  ];
}

function noteOn({ line, column, path, message }: Finding, above: number): string {
  if (line === null) return path === '' ? message : `${path}: ${message}`;
  // The message of a syntax error names the line without these notes above it.
  const bare = message.replace(/ at line \d+, column \d+$/, '');
  return `line ${line + above}, column ${column}: ${bare}`;
}
