import type { Command } from 'commander';
import { type FileItem, fileUrl } from '../../../contract/index.ts';
import { addConcurrency, FILES_ARGUMENT } from '../../files/flags.ts';
import { runJob, tellNothing } from '../../files/job.ts';
import { isKey, namedKeys, refuseBadKey } from '../../files/keys.ts';
import { patiently } from '../../files/retry.ts';
import { countText } from '../../output/files.ts';
import { bytesText } from '../../output/units.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import { rowAndRest, rowTarget, type RowTarget } from '../../target.ts';
import { confirm, printDryRun } from '../../ui.ts';

interface RmOptions extends GlobalOptions {
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly concurrency: number;
}

export function registerRm(parent: Command, runtime: Runtime): void {
  const command = parent
    .command('rm')
    .summary('delete files')
    .description('Delete files and say which were there. A key that is absent is no error.')
    .argument('[row]', FILES_ARGUMENT)
    .argument('[key...]', 'the keys of the files')
    .option('--all', 'every file of the row')
    .option('--dry-run', 'show what would be deleted, and delete nothing');
  addConcurrency(command).action(async (row, keys, _options, called: Command) => {
    await runRm(runtime, called.optsWithGlobals(), [row, ...keys]);
  });
}

async function runRm(
  runtime: Runtime,
  options: RmOptions,
  args: readonly (string | undefined)[],
): Promise<void> {
  const [row, ...named] = rowAndRest(options, args);
  const keys = namedKeys(options, named);
  const transport =
    options.all || keys.length > 1 ? { connections: options.concurrency } : undefined;
  const target = await rowTarget(runtime, options, 'files', row, transport);
  const { items } = await target.client.listFiles(target.url);
  const stored = new Map(items.map((item) => [item.key, item]));
  const doomed = options.all ? [...stored.keys()] : keys;
  if (options.dryRun) {
    const planned = doomed
      .filter(isKey)
      .map((key) => ({ method: 'DELETE', url: fileUrl(target.url, key) }));
    await printDryRun(runtime, options, planned);
    return;
  }
  await deleteFiles(runtime, options, target, doomed, stored);
}

async function deleteFiles(
  runtime: Runtime,
  options: RmOptions,
  target: RowTarget,
  keys: readonly string[],
  stored: ReadonlyMap<string, FileItem>,
): Promise<void> {
  if (keys.length === 0) {
    return tellNothing(runtime, options, `the ${target.label} row has no files`);
  }
  const present = keys.flatMap((key) => stored.get(key) ?? []);
  const size = present.reduce((sum, file) => sum + file.size, 0);
  const what = `${countText(present.length)} (${bytesText(size)})`;
  await confirm(runtime, options, `Delete ${what} of the ${target.label} row?`);
  await runJob(runtime, options, {
    phases: [keys],
    concurrency: options.concurrency,
    key: (key) => key,
    size: (key) => stored.get(key)?.size ?? null,
    isStill: true,
    done: (key) => (stored.has(key) ? 'deleted' : 'absent'),
    work: async (key) => {
      refuseBadKey(key);
      await patiently(runtime, () => target.client.deleteFile(target.url, key));
    },
  });
}
