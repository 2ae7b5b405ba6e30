import { compactSize, layOut, operationsText, type TextOperation } from '../../contract/index.ts';
import { simulatePatch } from '../../validator/patch.ts';
import { InvalidError } from '../errors.ts';
import { pointersInWords } from '../output/patch.ts';
import { conflictsOf } from './conflict.ts';
import { exactPatch, textDiff } from './difference.ts';
import { createDraft, type Draft, readDraft } from './draft.ts';
import { editUntilValid } from './editor.ts';
import { refuseCertain } from '../findings.ts';
import type { WriteOptions } from './images.ts';
import { readRow, type Row, rowOf } from './row.ts';
import { printOutcome, sendWrite } from './write.ts';
import type { Runtime } from '../runtime.ts';
import { rowTarget, type RowTarget } from '../target.ts';
import { confirm, note, printDryRun, printJson } from '../ui.ts';

export async function runEdit(
  runtime: Runtime,
  options: WriteOptions,
  row: string | undefined,
): Promise<void> {
  const target = await rowTarget(runtime, options, 'storage', row);
  const base = await readRow(target);
  const draft = await createDraft(runtime, target.name ?? 'row', `${layOut(base.text)}\n`);
  try {
    const edited = (await editUntilValid(runtime, target, draft)) ?? base;
    await sendEdit(runtime, options, target, base, edited);
  } catch (error) {
    await keepDraft(runtime, options, draft);
    throw error;
  }
  if (options.dryRun) await keepDraft(runtime, options, draft);
  else await (await runtime.disk()).remove(draft.path);
}

/** The text is not lost by what went wrong, unless there is nothing of the user's in it. */
async function keepDraft(runtime: Runtime, options: WriteOptions, draft: Draft): Promise<void> {
  const disk = await runtime.disk();
  const text = new TextDecoder().decode(await readDraft(disk, draft));
  if (text === draft.original || text.trim() === '') {
    await disk.remove(draft.path);
  } else if (options.json) await printJson(runtime, { draft: draft.path });
  else await runtime.stderr.write(`your text is kept in ${draft.path}\n`);
}

async function sendEdit(
  runtime: Runtime,
  options: WriteOptions,
  target: RowTarget,
  base: Row,
  edited: Row,
): Promise<void> {
  const { operations, reordered } = exactPatch(base, edited);
  if (operations.length === 0) {
    if (reordered.length > 0) throw onlyReordered(target, reordered);
    if (options.json) await printOutcome(runtime, target, 'unchanged', compactSize(base.text));
    else await note(runtime, options, 'nothing changed; nothing was sent');
    return;
  }
  await showDiff(runtime, options, target, base, edited);
  if (reordered.length > 0) {
    await note(
      runtime,
      options,
      `the order of names stays as it was at ${pointersInWords(reordered)}`,
    );
  }
  const body = `{"patch":${operationsText(operations)}}`;
  if (options.dryRun) {
    await printDryRun(runtime, options, { method: 'PATCH', url: target.url, body });
    return;
  }
  const changes = operations.length === 1 ? 'this change' : `these ${operations.length} changes`;
  await confirm(runtime, options, `Send ${changes} to the ${target.label} row?`);
  const before = await readRow(target);
  if (before.text !== base.text) {
    await checkMeanwhile(runtime, options, target, { base, before, operations });
  }
  const tried = simulatePatch(body, { kind: target.kind, against: before.text });
  refuseCertain(tried.findings, `the change cannot be made to the ${target.label} row`);
  const after = tried.row === undefined ? undefined : rowOf(tried.row);
  const command = 'storage edit';
  await sendWrite(runtime, options, target, { command, method: 'PATCH', body, before, after });
}

async function showDiff(
  runtime: Runtime,
  options: WriteOptions,
  { label }: RowTarget,
  base: Row,
  edited: Row,
): Promise<void> {
  if (options.quiet || options.json) return;
  const names = [label, `${label}, edited`] as const;
  const { stderr } = runtime;
  await stderr.write(textDiff(runtime, options, stderr, [names[0], base], [names[1], edited]));
}

/** What somebody else changed since the row was read stays; where it is the same place, nothing is sent. */
async function checkMeanwhile(
  runtime: Runtime,
  options: WriteOptions,
  { label }: RowTarget,
  { base, before, operations }: { base: Row; before: Row; operations: readonly TextOperation[] },
): Promise<void> {
  const theirs = exactPatch(base, before).operations;
  const conflicts = conflictsOf(base.value, theirs, operations);
  if (conflicts.length === 0) {
    await note(
      runtime,
      options,
      `the ${label} row has changed elsewhere meanwhile: ${paths(theirs)}`,
    );
    return;
  }
  const both = conflicts
    .slice(0, MAX_SHOWN)
    .map(({ theirs: other, ours }) => `theirs ${inWords(other)}, yours ${inWords(ours)}`);
  const more = conflicts.length > MAX_SHOWN ? `; and ${conflicts.length - MAX_SHOWN} more` : '';
  throw new InvalidError(
    `the ${label} row has changed meanwhile in the same places: ${both.join('; ')}${more}`,
    {
      code: 'row.conflict',
      hint: `nothing was sent; edit the row as it is now, or compare: lectern storage diff ${label} FILE`,
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
    `only the order of names differs, at ${pointersInWords(reordered)}: a patch cannot carry that`,
    { code: 'row.reordered', hint: `replace the row instead: lectern storage put ${label} FILE` },
  );
}
