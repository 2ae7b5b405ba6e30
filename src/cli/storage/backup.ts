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
import type { Printed } from '../output/all-forms.ts';
import type { Result } from '../output/result.ts';
import type { StorageBackupOptions } from './flags.ts';

export async function runBackup(
  context: Context<StorageBackupOptions>,
  folder: string,
): Promise<Result<Printed<'storage backup'>>> {
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
  const leftOut = index.left_out.map(
    ({ row, key, reason }) => `left out: ${row}${key === undefined ? '' : ` ${key}`}: ${reason}`,
  );
  const files = index.left_out.filter(({ key }) => key !== undefined);
  const failure = `${countText(files.length, 'file')} left out`;
  const restore = `lectern storage restore ${quotedPath(folder)} ${flagWord('-l', from)}`;
  return {
    json: index,
    show: listTable(index.rows, [
      { name: 'row', whole: true },
      { name: 'bytes', numeric: true, cell: ({ bytes }) => bytesCell(bytes) },
      { name: 'files', numeric: true, cell: ({ files: kept }) => kept.length },
    ]),
    ...(files.length > 0
      ? { notes: leftOut, exit: new ExitError(EXIT.failed, 'batch.failed', failure) }
      : { notes: [...leftOut, `saved in ${folder}; write it back with: ${restore}`] }),
  };
}
