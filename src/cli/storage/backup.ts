import { backUp } from '../../backup/backup.ts';
import { ownersOf } from '../../backup/backup-index.ts';
import { flagWord, quotedPath, ROW_NAMES } from '../../contract/index.ts';
import { UsageError } from '../../errors.ts';
import { ExitError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { bytesCell, listTable } from '../output/table.ts';
import { countText } from '../output/units.ts';
import type { Context } from '../runtime.ts';
import { findLaunch, requireLaunch } from '../session/launch.ts';
import { rowTarget } from '../session/row.ts';
import { note } from '../output/notes.ts';
import { printJson, printTable } from '../output/print.ts';
import type { StorageBackupOptions } from './flags.ts';

export async function runBackup(
  context: Context<StorageBackupOptions>,
  folder: string,
): Promise<void> {
  const { options } = context;
  if (options.url !== undefined) {
    throw new UsageError('a backup is of all rows of a launch, not of a URL', 'use --launch NAME');
  }
  const { launch, name: from } = requireLaunch(await findLaunch(context));
  const names = ROW_NAMES.filter((name) => launch.storage[name] !== undefined);
  const sources = await Promise.all(
    names.map(async (name) => {
      const row = await rowTarget(context, 'storage', name);
      if (!options.files || launch.files[name] === undefined) return { name, row };
      const { client, url, kind } = await rowTarget(context, 'files', name);
      return { name, row, files: { client, url, kind, clock: context, signal: context.interrupt } };
    }),
  );
  const about = { created: new Date(context.now()).toISOString(), ...ownersOf(launch) };
  const index = await backUp(sources, { disk: await context.disk(), folder, about });
  if (options.json) await printJson<'storage backup'>(context, index);
  else {
    await printTable(
      context,
      listTable(index.rows, [
        { name: 'row', whole: true },
        { name: 'bytes', numeric: true, cell: ({ bytes }) => bytesCell(bytes) },
        { name: 'files', numeric: true, cell: ({ files }) => files.length },
      ]),
    );
  }
  for (const { row, key, reason } of index.left_out) {
    await note(context, `left out: ${row}${key === undefined ? '' : ` ${key}`}: ${reason}`);
  }
  const files = index.left_out.filter(({ key }) => key !== undefined);
  if (files.length > 0) {
    throw new ExitError(EXIT.failed, 'batch.failed', `${countText(files.length, 'file')} left out`);
  }
  const restore = `lectern storage restore ${quotedPath(folder)} ${flagWord('-l', from)}`;
  await note(context, `saved in ${folder}; write it back with: ${restore}`);
}
