import { join } from 'node:path';
import { captureRows, type CapturedRow } from '../../backup/capture.ts';
import { flagWord, quotedPath } from '../../contract/index.ts';
import type { Seed } from '../../emulator/index.ts';
import { InvalidError, UsageError } from '../../errors.ts';
import { compactSize } from '../../json/index.ts';
import { toFindings } from '../../validator/finding.ts';
import { violation } from '../../contract/index.ts';
import { seedKind } from '../input/document.ts';
import { CAPTURED_ROWS, type CapturedSummary } from '../output/checks.ts';
import { progressOf } from '../output/notes.ts';
import type { Result } from '../output/result.ts';
import { tableOf } from '../output/columns.ts';
import { bytesText, countText } from '../output/units.ts';
import { type Called, type Context, withOptions } from '../runtime.ts';
import { findLaunch, requireLaunch } from '../session/launch.ts';
import { leftOut, refuseUrl, sourcesOf } from '../shared/backup.ts';
import { isStandardOutput, outputPlace, writeOutput } from '../shared/write-output.ts';
import type { CAPTURE_FLAGS } from './flags.ts';
import { seedOf } from './seed-of.ts';

export async function runCapture(
  given: Called<typeof CAPTURE_FLAGS>,
  name: string | undefined,
): Promise<Result> {
  const context =
    name === undefined ? given : withOptions(given, { ...given.options, launch: name });
  const { to, withContent = false, salt } = context.options;
  if (to === '' || isStandardOutput(to)) {
    throw new UsageError('no file for the seed', 'name one: --to course.json');
  }
  await outputPlace(context, to);
  refuseUrl(context);
  const used = requireLaunch(await findLaunch(context));
  const read = await withProgress(context, async (events) =>
    captureRows(await sourcesOf(context, used.launch, context.options.files !== false), {
      disk: await context.disk(),
      pathFor: withContent ? (row, key) => join(`${to}.files`, row, key) : undefined,
      areObjects: true,
      ...events,
    }),
  );
  const seed = seedOf({ launch: used.launch, ...read }, { file: to, withContent, salt });
  await refuseInvalid(to, seed);
  await writeOutput(context, to, [Buffer.from(`${JSON.stringify(seed, null, 2)}\n`)], {
    secret: true,
  });
  const rows = read.rows.map(summaryOf);
  const [course] = seed.courses;
  const [member] = course?.members ?? [];
  const [location] = course?.locations ?? [];
  const json = {
    seed: to,
    launch: used.name,
    course: course?.id ?? '',
    location: location?.id ?? '',
    member: member?.id ?? null,
    rows,
    left_out: read.leftOut.map(({ row, key, reason }) => ({ row, ...(key && { key }), reason })),
  };
  const show = tableOf(CAPTURED_ROWS, rows, context.now());
  const left = leftOut(read.leftOut);
  if (left.exit) return { json, show, ...left };
  const start = `lectern emulator start --memory ${flagWord('--seed', to)}`;
  const launch =
    member === undefined ? 'provision-request' : `launch ${flagWord('--member', member.id)}`;
  const next = [
    `saved in ${quotedPath(to)}; run it with: ${start}`,
    `and launch it with: lectern emulator ${launch} --save captured`,
  ];
  return { json, show, notes: [...left.notes, ...next] };
}

type Events = Pick<Parameters<typeof captureRows>[1], 'onProgress' | 'onResult'>;

/** Shows how many files and bytes were read, on a terminal. */
async function withProgress<Value>(
  context: Context,
  work: (events: Events) => Promise<Value>,
): Promise<Value> {
  const progress = await progressOf(context);
  const active = new Map<string, number>();
  let [files, ended] = [0, 0];
  progress.follow(() => {
    const bytes = [...active.values()].reduce((sum, each) => sum + each, ended);
    return `captured ${countText(files, 'file')}, ${bytesText(bytes)}`;
  });
  try {
    return await work({
      onProgress: ({ key }, bytes) => void active.set(key, bytes),
      onResult: ({ item: { key } }) => {
        files += 1;
        ended += active.get(key) ?? 0;
        active.delete(key);
      },
    });
  } finally {
    progress.stop();
  }
}

/** A service may hold what the contract does not allow, such as a row over its limit. */
async function refuseInvalid(file: string, seed: Seed): Promise<void> {
  const faults = (await seedKind()).check(seed);
  if (faults.length === 0) return;
  const findings = faults.map(({ path, message, hint }) =>
    violation('seed.invalid', path, { fault: message, hint }),
  );
  throw new InvalidError(`${file} was not written: the course is not within the contract`, {
    findings: toFindings(findings),
  });
}

function summaryOf({ name, bytes, files }: CapturedRow): CapturedSummary {
  return {
    row: name,
    bytes: compactSize(new TextDecoder().decode(bytes)),
    files: files.length,
    file_bytes: files.reduce((sum, { size }) => sum + size, 0),
  };
}
