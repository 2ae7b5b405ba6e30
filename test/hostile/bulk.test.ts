import { expect } from 'vitest';
import { bench, file, members, readLines, submitFile } from '../cli/grade/bulk.ts';
import { binary } from '../support/binary.ts';
import { hostileCases } from './support.ts';

const hostile = hostileCases('Bulk');

hostile(
  {
    tried: 'a run at a fast service, on one core',
    times: { short: 1, long: 50 },
    size: { short: 250, long: 2000 },
    cannotRun: () => (process.platform === 'linux' ? undefined : 'taskset is of Linux'),
  },
  async ({ repetition, size }) => {
    const { home, launch, arrived } = await bench();
    const concurrency = [1, 4, 16, 64][repetition % 4];
    const submit = [
      '-l',
      launch,
      ...submitFile(file(members(size))),
      '--concurrency',
      String(concurrency),
    ];
    const result = await binary(submit, { home, wrapper: ['taskset', '-c', '0'] });
    // A run that takes long says every 10 seconds how far it is.
    const stderr = result.stderr.replace(/^[\d,]+\/[\d,]+, \d.*\n/gm, '');
    expect([result.exit, stderr]).toEqual([0, '']);
    expect(readLines(result).summary).toMatchObject({ rows: size, success: size });
    expect(arrived()).toHaveLength(size);
  },
);
