import { backUp } from '../../backup/backup.ts';
import { ownersOf } from '../../backup/backup-index.ts';
import { flagWord, quotedPath } from '../../contract/index.ts';
import { type ListColumns, tableOf } from '../output/columns.ts';
import { bytesCell } from '../output/table.ts';
import type { Called } from '../runtime.ts';
import { findLaunch, requireLaunch } from '../session/launch.ts';
import { leftOut, refuseUrl, sourcesOf } from '../shared/backup.ts';
import type { Prints } from '../output/all-forms.ts';
import type { BACKUP_FLAGS } from './flags.ts';

const ROWS = {
  row: { whole: true },
  bytes: { numeric: true, cell: bytesCell },
  files: { numeric: true, cell: (files: readonly unknown[]) => files.length },
} satisfies ListColumns;

export async function runBackup(
  context: Called<typeof BACKUP_FLAGS>,
  folder: string,
): Prints<'storage backup'> {
  const { options } = context;
  refuseUrl(context);
  const { launch, name: from } = requireLaunch(await findLaunch(context));
  const sources = await sourcesOf(context, launch, options.files === true);
  const about = { created: new Date(context.now()).toISOString(), ...ownersOf(launch) };
  const index = await backUp(sources, { disk: await context.disk(), folder, about });
  const left = leftOut(index.left_out);
  const restore = `lectern storage restore ${quotedPath(folder)} ${flagWord('-l', from)}`;
  return {
    json: index,
    show: tableOf(ROWS, index.rows),
    ...left,
    notes: left.exit
      ? left.notes
      : [...left.notes, `saved in ${folder}; write it back with: ${restore}`],
  };
}
