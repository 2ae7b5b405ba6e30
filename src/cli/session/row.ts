import { kindOf, ROW_NAMES, type RowName, shownUrl } from '../../contract/index.ts';
import { isUrl, rowAndRest, rowName } from '../arguments/rows.ts';
import { UsageError, InvalidError } from '../../errors.ts';
import type { Context } from '../runtime.ts';
import { requireLaunch, type UsedLaunch } from './launch.ts';
import { resolveCall } from './resolve-call.ts';

/** A row or file set: by its claim's name, or as an opaque URL. */
export type RowTarget = Awaited<ReturnType<typeof rowTarget>>;

/**
 * Resolves ROW of a `storage` or `files` command: a row's name, a full URL, or `--url`. Refuses the
 * API key ("it is not accepted" there) with nothing sent.
 */
export async function rowTarget(
  context: Context,
  area: 'storage' | 'files',
  row: string | undefined,
  transport?: { connections?: number },
) {
  const address = context.options.url ?? (row !== undefined && isUrl(row) ? row : undefined);
  const name = row === undefined || isUrl(row) ? undefined : rowName(row);
  const { url, used, client } = await resolveCall(context, {
    url: address,
    claim: (launch) => claimedUrl(launch, area, name),
    noKey: 'rows and files need the token of a launch',
  });
  const known = name ?? ROW_NAMES.find((each) => used?.launch[area][each] === url);
  return {
    /** The claim's name; undefined for a URL that the launch does not name. */
    name: known,
    /** The kind whose limits apply; undefined if unknown. */
    kind: known === undefined ? undefined : kindOf(known),
    /** For messages: the name, or the URL without its query. */
    label: known ?? shownUrl(url),
    url,
    client: await client(transport),
    /** A client that only a second interrupt stops. */
    drainingClient: () => client({ drains: true }),
  };
}

/** The row that the arguments begin with, unless `--url` replaces it, and the rest of them. */
export async function rowTargetAndRest(
  context: Context,
  area: 'storage' | 'files',
  args: readonly (string | undefined)[],
): Promise<[target: RowTarget, ...rest: (string | undefined)[]]> {
  const [row, ...rest] = rowAndRest(context.options, args);
  return [await rowTarget(context, area, row), ...rest];
}

function claimedUrl(
  used: UsedLaunch | undefined,
  area: 'storage' | 'files',
  name: RowName | undefined,
): string {
  if (name === undefined) {
    throw new UsageError('no row given', `use one of ${ROW_NAMES.join(', ')}, or --url URL`);
  }
  const launch = requireLaunch(used);
  const url = launch.launch[area][name];
  if (url !== undefined) return url;
  const parent = name.startsWith('parent_');
  throw new InvalidError(`launch ${launch.name} has no ${area}.${name}`, {
    code: 'launch.claim_missing',
    hint: parent
      ? 'only the provision request of a copied course has parent rows'
      : 'lectern launch decode shows its claims',
  });
}
