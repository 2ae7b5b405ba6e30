/** "Limits": files per row, and their total size. Asked of the rule, the emulator and the command line. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkQuota } from '../../src/contract/files.ts';
import { ROW_KINDS, type RowKind } from '../../src/contract/index.ts';
import { createEmulator } from '../../src/emulator/index.ts';
import type { Finding } from '../../src/validator/index.ts';
import { launchOf } from '../emulator/subject.ts';
import { keyUrl } from '../emulator/wire.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';

/** A file that is declared beside others. */
interface Quota {
  readonly kind: RowKind;
  /** The sizes of the files that are there: `f0`, `f1`, … */
  readonly stored: readonly number[];
  readonly key: string;
  readonly size: number;
  readonly found: readonly string[];
}

const MB = 1_000_000;
const MIB = 1_048_576;
const SIZES = { context: 500, location: 250, member: 100, member_location: 100 };

const MAYBE = ['files.maybe_quota_exceeded'];
const OVER = ['files.quota_exceeded'];
const TOO_MANY = ['files.too_many'];

/** 10 bytes declared so that the row has `total`. */
const reaching = (kind: RowKind, total: number, found: readonly string[] = []): Quota => {
  return { kind, stored: [total - 10], key: 'new', size: 10, found };
};
const counted = (count: number, key: string, found: readonly string[] = []): Quota => {
  return { kind: 'context', stored: Array<number>(count).fill(1), key, size: 1, found };
};

const QUOTAS: readonly Quota[] = [
  ...ROW_KINDS.flatMap((kind) => [
    reaching(kind, SIZES[kind] * MB),
    reaching(kind, SIZES[kind] * MB + 1, MAYBE),
    reaching(kind, SIZES[kind] * MIB, MAYBE),
    reaching(kind, SIZES[kind] * MIB + 1, OVER),
  ]),
  counted(0, 'new'),
  counted(99, 'new'),
  counted(100, 'new', TOO_MANY),
  counted(101, 'new', TOO_MANY),
  counted(100, 'F99', TOO_MANY),
  // A file that replaces another counts in its place.
  counted(100, 'f99'),
  { kind: 'member', stored: [20 * MB, 84_857_600], key: 'f0', size: 20 * MB, found: MAYBE },
  { kind: 'member', stored: [20 * MB, 84_857_600], key: 'f0', size: 20 * MB + 1, found: OVER },
  {
    kind: 'context',
    stored: Array<number>(100).fill(5 * MIB),
    key: 'new',
    size: 1,
    found: [...TOO_MANY, ...OVER],
  },
];

const filesOf = ({ stored }: Quota) => stored.map((size, at) => ({ key: `f${at}`, size }));

test('the quota of a row is checked with each declaration', async () => {
  const emulator = createEmulator();
  const launch = launchOf(emulator.launch({ role: 'instructor' }) as never);
  const cwd = temporaryFolder();
  for (const quota of QUOTAS) {
    const { kind, key, size, found, stored } = quota;
    const name = `${kind}: ${stored.length} files, ${key} of ${size}`;
    const codes = checkQuota(kind, filesOf(quota), key, size).map(({ code }) => code);
    expect([name, codes]).toEqual([name, found]);

    writeFileSync(join(cwd, 'files.json'), JSON.stringify(filesOf(quota)));
    const flags = ['--key', key, '--kind', kind, '--with', 'files.json'];
    const input = JSON.stringify({ size });
    const run = await lectern(['validate', 'file', '-', '--json', ...flags], { cwd, input });
    const [{ findings } = { findings: [] }] = JSON.parse(run.stdout) as { findings: Finding[] }[];
    expect([name, findings.map(({ code }) => code)]).toEqual([name, found]);

    const { state } = emulator;
    const { course, location, user } = { ...launch.claims, course: launch.claims.context };
    const row = {
      context: `context/essay/${course}`,
      location: `location/essay/${location.id}`,
      member: `member/essay/${user.member}`,
      member_location: `member_location/essay/${location.id}/${user.member}`,
    }[kind];
    // Their bytes are not needed.
    const file = { row, content_type: '', filename: '', attachment: false, modified: 0 };
    for (const each of filesOf(quota))
      state.files.put({ ...file, ...each, blob: each.key, has_no_bytes: true });
    const headers = { authorization: `Bearer ${launch.token}`, 'content-type': 'application/json' };
    const url = keyUrl(launch.files(kind), key);
    const { status } = await emulator.fetch(
      new Request(url, { method: 'PUT', headers, body: input }),
    );
    const isRefused = found.some((code) => !code.startsWith('files.maybe'));
    expect([name, status]).toEqual([name, isRefused ? 422 : 200]);
    for (const each of filesOf(quota)) state.files.remove(row, each.key);
  }
  emulator.close();
});
