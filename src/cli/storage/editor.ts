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

/** The limit for an editor that is a script. */
const MAX_ROUNDS = 100;

/**
 * Opens the editor on the draft until the service would accept it, with the errors at the top each
 * time. Returns undefined if it was not changed. Throws InvalidError if it is returned with errors
 * and unchanged, InterruptedError if it is empty or the editor failed, UsageError if the editor
 * cannot be started.
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
    const errors = findings.filter(isError);
    if (errors.length === 0) return row;
    if (text === last || round === MAX_ROUNDS) {
      throw new InvalidError(`the edited text is not a valid ${label} row`, { findings: errors });
    }
    last = text;
    await annotateDraft(disk, draft, bytes, notesOn(errors));
  }
}

/** The exit codes of shells for a program that cannot be executed, or does not exist. */
const NOT_STARTED = [126, 127];

/** An exit code other than 0 means that the user aborted the edit. */
async function openEditor(runtime: Runtime, path: string): Promise<void> {
  const { env, platform, processes } = runtime;
  const usual = platform === 'win32' ? 'notepad' : 'vi';
  const editor = env.VISUAL || env.EDITOR || (canPrompt(runtime) ? usual : undefined);
  if (!editor) throw new UsageError('no editor is set', 'set VISUAL or EDITOR');
  // The variable may contain arguments ("code --wait"), as in other tools. Ctrl-C is for the
  // editor: the shell that waits for it must not end.
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

/** Windows has no shell that splits it: words end at spaces, except in double quotes. */
function editorWords(editor: string): [string, ...string[]] {
  const words = editor.match(/"[^"]*"|[^\s"]+/g) ?? [];
  const [program = editor, ...args] = words.map((word) => word.replaceAll('"', ''));
  return [program, ...args];
}

/** A missing program gives the exit code that a shell has for it. */
async function exitOf(ended: Promise<number>): Promise<number> {
  try {
    return await ended;
  } catch (error) {
    if (error instanceof ExitError && error.code === 'exec.not_started') return error.exit;
    throw error;
  }
}

/** The errors, with their lines below these notes. */
function notesOn(wrong: readonly Finding[]): string[] {
  const shown = wrong.slice(0, 10);
  const above = shown.length + 1;
  return [
    'Not sent: the text below is not valid. Lines at the top that start with // are ignored.',
    ...shown.map((finding) => noteOn(finding, above)),
  ];
}

function noteOn({ line, column, path, message }: Finding, above: number): string {
  if (line === null) return path === '' ? message : `${path}: ${message}`;
  return `line ${line + above}, column ${column}: ${message}`;
}
