import { join } from 'node:path';
import type { WRITE_FLAGS } from './flags.ts';
import { type TextOperation, operationsText } from '../../diff/index.ts';
import { reformat } from '../../json/index.ts';
import { type ReadPatch, readOperations } from '../../validator/patch.ts';
import { InterruptedError, InvalidError, UsageError } from '../../errors.ts';
import { pointersText } from '../output/row-change.ts';
import { MAX_JSON_BYTES } from '../sizes.ts';
import type { CommandDisk, CommandLine, Called, Runtime } from '../runtime.ts';
import { type RowTarget, rowTarget } from '../session/resolve-call.ts';
import { canPrompt, confirm } from '../ask.ts';
import { note } from '../output/notes.ts';
import { dryRun } from '../output/dry-run.ts';
import type { Result } from '../output/result.ts';
import { conflictsOf } from '../../rows/conflict.ts';
import { exactPatch, showDiff } from './difference.ts';
import { type Row, readRow } from '../../rows/row.ts';
import { runChange, unchangedRow } from './change.ts';
import { type Finding, isError } from '../../validator/finding.ts';
import { readCheckedRow } from '../../validator/row.ts';
import { NOT_RUN } from '../exit-codes.ts';
import { LINE_FEED } from '../../json/characters.ts';
import { ExitError } from '../errors.ts';

export async function runEdit(
  context: Called<typeof WRITE_FLAGS>,
  row: string | undefined,
): Promise<Result> {
  const target = await rowTarget(context, 'storage', row);
  const base = await readRow(target);
  const draft = await createDraft(context, target.name ?? 'row', `${reformat(base.text)}\n`);
  try {
    const edited = (await editUntilValid(context, target, draft)) ?? base;
    const { isOpen, ...result } = await sendEdit(context, target, base, edited, draft);
    if (!isOpen) await (await context.disk()).remove(draft.path);
    return result;
  } catch (error) {
    return keepDraft(context, draft, error);
  }
}

/** Keeps the edited text after an error, unless the user changed nothing. */
async function keepDraft(
  context: Called<typeof WRITE_FLAGS>,
  draft: EditedDraft,
  exit: unknown,
): Promise<Result> {
  const disk = await context.disk();
  const { text } = await readDraft(disk, draft);
  const { path } = draft;
  if (text !== draft.original && text.trim() !== '') {
    return { json: { draft: path }, notes: [draftNote(draft)], exit };
  }
  await disk.remove(path);
  return { exit };
}

function draftNote({ path }: EditedDraft): string {
  return `your edited text is saved in ${path}`;
}

/** Sends the edited row; after a dry run the draft is still needed. */
async function sendEdit(
  context: Called<typeof WRITE_FLAGS>,
  target: RowTarget,
  base: Row,
  edited: Row,
  draft: EditedDraft,
): Promise<Result & { readonly isOpen?: true }> {
  const { options } = context;
  const { operations, reordered } = exactPatch(base, edited);
  if (operations.length === 0) {
    if (reordered.length > 0) throw onlyReordered(target, reordered);
    return unchangedRow(target, base, 'no changes; nothing was sent');
  }
  await showDiff(context, [target.label, base], [`${target.label}, edited`, edited]);
  if (reordered.length > 0) {
    await note(context, `the order of names at ${pointersText(reordered)} is not changed`);
  }
  const list = operationsText(operations);
  if (options.dryRun) {
    const body = `{"patch":${list}}`;
    const facts = { draft: draft.path };
    const planned = dryRun({ method: 'PATCH', url: target.url, body, facts });
    return { ...planned, notes: [...(planned.notes ?? []), draftNote(draft)], isOpen: true };
  }
  const changes = operations.length === 1 ? 'this change' : `these ${operations.length} changes`;
  await confirm(context, `Send ${changes} to the ${target.label} row?`);
  const patch = readOperations(list, { hasLines: false });
  const plan = async (before: Row): Promise<ReadPatch> => {
    if (before.text !== base.text) {
      await checkMeanwhile(context, target, { base, before, operations });
    }
    return patch;
  };
  const change = { method: 'PATCH', command: 'storage edit', source: 'the change', plan } as const;
  return runChange(context, target, change, { isShown: false });
}

/** Changes made elsewhere since the row was read are kept; a conflict with them is an error. */
async function checkMeanwhile(
  context: Called<typeof WRITE_FLAGS>,
  { label, argument }: RowTarget,
  { base, before, operations }: { base: Row; before: Row; operations: readonly TextOperation[] },
): Promise<void> {
  const theirs = exactPatch(base, before).operations;
  const conflicts = conflictsOf(base.value, theirs, operations);
  if (conflicts.length === 0) {
    await note(context, `the ${label} row was also changed elsewhere: ${paths(theirs)}`);
    return;
  }
  const both = conflicts
    .slice(0, MAX_SHOWN)
    .map(({ theirs: other, ours }) => `theirs ${inWords(other)}, yours ${inWords(ours)}`);
  const more = conflicts.length > MAX_SHOWN ? `; and ${conflicts.length - MAX_SHOWN} more` : '';
  throw new InvalidError(
    `the same values of the ${label} row were changed elsewhere: ${both.join('; ')}${more}`,
    {
      code: 'row.conflict',
      hint: `nothing was sent; edit the current row, or compare it with: lectern storage diff ${argument} FILE`,
    },
  );
}

const MAX_SHOWN = 10;

function paths(operations: readonly TextOperation[]): string {
  const shownPaths = operations.slice(0, MAX_SHOWN).map(({ path }) => path);
  return shownPaths.join(', ') + (operations.length > MAX_SHOWN ? ', …' : '');
}

function inWords(operation: TextOperation): string {
  const text = operationsText([operation]).slice(1, -1);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function onlyReordered({ argument }: RowTarget, reordered: readonly string[]): InvalidError {
  return new InvalidError(
    `only the order of names differs, at ${pointersText(reordered)}: a patch cannot express that`,
    { code: 'row.reordered', hint: `replace the row with: lectern storage put ${argument} FILE` },
  );
}

/** The limit for an editor that is a script. */
const MAX_ROUNDS = 100;

/**
 * Opens the editor on the draft until the service would accept it, with the errors at the top each
 * time. Returns undefined if it was not changed. Throws InvalidError if it is returned with errors
 * and unchanged, InterruptedError if it is empty or the editor failed, UsageError if the editor
 * cannot be started.
 */
async function editUntilValid(
  runtime: Runtime,
  { kind, label }: RowTarget,
  draft: EditedDraft,
): Promise<Row | undefined> {
  const disk = await runtime.disk();
  let last = '';
  for (let round = 1; ; round++) {
    await openEditor(runtime, draft.path);
    const { bytes, text } = await readDraft(disk, draft);
    if (text === draft.original) return undefined;
    if (text.trim() === '') throw new InterruptedError('the file is empty; nothing was sent');
    const { findings, row } = readCheckedRow(bytes, { kind });
    const errors = findings.filter(isError);
    if (errors.length === 0) return row;
    if (text === last || round === MAX_ROUNDS) {
      throw new InvalidError(`the edited text is not a valid ${label} row`, { findings: errors });
    }
    last = text;
    const notes = notesOn(errors).map((line) => `// ${line}\n`);
    const noted = Buffer.concat([Buffer.from(notes.join('')), bytes]);
    await disk.writeFile(draft.path, noted, { secret: true });
  }
}

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
  const exit = await exitOf((await processes()).attach(command));
  if (NOT_RUN.includes(exit)) {
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

type EditedDraft = Awaited<ReturnType<typeof createDraft>>;

/** A text that is being edited, in the user's own file (0600) under lectern's home. */
async function createDraft(runtime: Runtime, name: string, text: string) {
  const { data } = await runtime.home();
  const time = new Date(runtime.now()).toISOString().replace(/[-:.]/g, '');
  const path = join(data, 'drafts', `${name}-${time}-${runtime.pid}.json`);
  await (await runtime.disk()).writeFile(path, text, { secret: true });
  return { path, original: text };
}

/** The draft without the notes on top; empty if the editor removed the file. */
async function readDraft(
  disk: CommandDisk,
  { path }: EditedDraft,
): Promise<{ bytes: Uint8Array; text: string }> {
  const read = (await disk.exists(path)) ? await disk.readFile(path, MAX_JSON_BYTES) : undefined;
  const bytes = read?.subarray(endOfNotes(read)) ?? new Uint8Array();
  return { bytes, text: new TextDecoder().decode(bytes) };
}

const SLASH = 0x2f;

/** JSON has no comments, so lines that start with // are notes. */
function endOfNotes(bytes: Uint8Array): number {
  let start = 0;
  while (bytes[start] === SLASH && bytes[start + 1] === SLASH) {
    const end = bytes.indexOf(LINE_FEED, start);
    start = end === -1 ? bytes.length : end + 1;
  }
  return start;
}
