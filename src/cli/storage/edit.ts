import type { StorageWriteOptions } from './flags.ts';
import { operationsText, type TextOperation } from '../../diff/index.ts';
import { reformat } from '../../json/index.ts';
import { readOperations, type ReadPatch } from '../../validator/patch.ts';
import { InvalidError } from '../../errors.ts';
import { pointersText } from '../output/patch.ts';
import type { Runtime, Context } from '../runtime.ts';
import { rowTarget, type RowTarget } from '../session/row.ts';
import { confirm, note, printDryRun, printJson } from '../ui.ts';
import { conflictsOf } from '../../rows/conflict.ts';
import { exactPatch } from './difference.ts';
import { createDraft, type EditedDraft, readDraft } from './draft.ts';
import { editUntilValid } from './editor.ts';
import { readRow, type Row } from '../../rows/row.ts';
import { printUnchanged, runChange } from './change.ts';
import { showDiff } from './show-change.ts';

export async function runEdit(
  context: Context<StorageWriteOptions>,
  row: string | undefined,
): Promise<void> {
  const target = await rowTarget(context, 'storage', row);
  const base = await readRow(target);
  const draft = await createDraft(context, target.name ?? 'row', `${reformat(base.text)}\n`);
  try {
    const edited = (await editUntilValid(context, target, draft)) ?? base;
    const isOpen = await sendEdit(context, target, base, edited, draft);
    if (!isOpen) await (await context.disk()).remove(draft.path);
  } catch (error) {
    await keepDraft(context, draft);
    throw error;
  }
}

/** Keeps the edited text after an error, unless the user changed nothing. */
async function keepDraft(context: Context<StorageWriteOptions>, draft: EditedDraft): Promise<void> {
  const disk = await context.disk();
  const bytes = await readDraft(disk, draft);
  const text = new TextDecoder().decode(bytes);
  if (text === draft.original || text.trim() === '') await disk.remove(draft.path);
  else if (context.options.json) await printJson<'storage edit'>(context, { draft: draft.path });
  else await tellDraft(context, draft);
}

async function tellDraft({ stderr }: Runtime, { path }: EditedDraft): Promise<void> {
  await stderr.write(`your edited text is saved in ${path}\n`);
}

/** Sends the edited row; returns true after a dry run, when the draft is still needed. */
async function sendEdit(
  context: Context<StorageWriteOptions>,
  target: RowTarget,
  base: Row,
  edited: Row,
  draft: EditedDraft,
): Promise<boolean> {
  const { options } = context;
  const { operations, reordered } = exactPatch(base, edited);
  if (operations.length === 0) {
    if (reordered.length > 0) throw onlyReordered(target, reordered);
    await printUnchanged(context, target, base, 'no changes; nothing was sent');
    return false;
  }
  await showDiff(context, [target.label, base], [`${target.label}, edited`, edited]);
  if (reordered.length > 0) {
    await note(context, `the order of names at ${pointersText(reordered)} is not changed`);
  }
  const list = operationsText(operations);
  if (options.dryRun) {
    const body = `{"patch":${list}}`;
    const facts = options.json ? { facts: { draft: draft.path } } : {};
    await printDryRun(context, { method: 'PATCH', url: target.url, body, ...facts });
    if (!options.json) await tellDraft(context, draft);
    return true;
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
  await runChange(context, target, change, { isShown: false });
  return false;
}

/** Changes made elsewhere since the row was read are kept; a conflict with them is an error. */
async function checkMeanwhile(
  context: Context<StorageWriteOptions>,
  { label }: RowTarget,
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
      hint: `nothing was sent; edit the current row, or compare it with: lectern storage diff ${label} FILE`,
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

function onlyReordered({ label }: RowTarget, reordered: readonly string[]): InvalidError {
  return new InvalidError(
    `only the order of names differs, at ${pointersText(reordered)}: a patch cannot express that`,
    { code: 'row.reordered', hint: `replace the row with: lectern storage put ${label} FILE` },
  );
}
