import type { RowSource } from '../../backup/capture.ts';
import { type Launch, ROW_NAMES } from '../../contract/index.ts';
import { UsageError } from '../../errors.ts';
import { ExitError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { countText } from '../output/units.ts';
import type { Context } from '../runtime.ts';
import { rowTarget } from '../session/resolve-call.ts';

/** Refuses `--url`, which would take the place of each row. */
export function refuseUrl({ options }: Context): void {
  if (options.url === undefined) return;
  throw new UsageError('this is about all rows of a launch, not a URL', 'use --launch NAME');
}

/** The rows of a launch, and with `withFiles` their files. */
export async function sourcesOf(
  context: Context,
  launch: Launch,
  withFiles: boolean,
): Promise<RowSource[]> {
  const names = ROW_NAMES.filter((name) => launch.storage[name] !== undefined);
  return Promise.all(
    names.map(async (name) => {
      const pause = { clock: context, signal: context.interrupt };
      const row = { ...(await rowTarget(context, 'storage', name)), ...pause };
      if (!withFiles || launch.files[name] === undefined) return { name, row };
      const { client, url, kind } = await rowTarget(context, 'files', name);
      return { name, row, files: { client, url, kind, ...pause } };
    }),
  );
}

/** What could not be read, for a result; it is an error if files are missing. */
export function leftOut(
  all: readonly { readonly row: string; readonly key?: string; readonly reason: string }[],
) {
  const files = all.filter(({ key }) => key !== undefined);
  const message = `${countText(files.length, 'file')} left out`;
  return {
    notes: all.map(
      ({ row, key, reason }) => `left out: ${row}${key === undefined ? '' : ` ${key}`}: ${reason}`,
    ),
    exit: files.length > 0 ? new ExitError(EXIT.failed, 'batch.failed', message) : undefined,
  };
}
